"""Many rows through one constraint: resumable, with failures kept.

::

    from maskwright.client import AsyncClient
    from maskwright.pipeline import extract_rows

    client = AsyncClient("http://127.0.0.1:8000")
    summary = extract_rows("texts.jsonl", "out.jsonl", Person, client=client)
    summary.is_complete, summary.tally.made, summary.tally.failed, summary.tally.cost
"""

from maskwright.pipeline.extraction import extract_rows, extract_rows_async
from maskwright.pipeline.outcomes import Cost
from maskwright.pipeline.rows import Reading
from maskwright.pipeline.run import Pace, Summary
from maskwright.pipeline.tally import Prices, Spending, Tally

__all__ = ["Cost", "Pace", "Prices", "Reading", "Spending", "Summary", "Tally", "extract_rows", "extract_rows_async"]
