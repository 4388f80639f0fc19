"""A pydantic model filled in by the default model, run by the built-in decoder.

maskwright model fetch
pip install "maskwright[pydantic]"
python examples/pydantic_model.py
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

import maskwright as mw
from maskwright.decode.local import LocalModel
from maskwright.decode.loop import generate
from maskwright.decode.models import find

TEXT = "Alice Martin, 34, moved from Paris to Berlin last year. She works as a nurse and speaks French and German."


class Person(BaseModel):
    """Who a text is about."""

    name: Annotated[str, Field(max_length=40)]
    age: Annotated[int, Field(ge=0, le=150)]
    city: str
    languages: Annotated[list[Literal["English", "French", "German", "Spanish"]], Field(min_length=1, max_length=3)]


def main() -> None:
    """Ask for one person and print it."""
    model = LocalModel.from_gguf(find("smollm2"))
    # "spaced" and "minimal" leave the model no choice in punctuation, so that is written without running the model.
    constraint = mw.json_schema(Person, objects="closed", whitespace="spaced", escapes="minimal")
    guide = mw.compile(constraint, model.vocabulary)
    question = f"Extract name, age, city and languages from the text as a JSON object.\nText: {TEXT}"
    result = generate(model, model.prompter.chat(question), guide, max_tokens=200)
    person = Person.model_validate_json(result.data)
    print(repr(person))
    print(f"{len(result.tokens)} tokens, {result.forced_tokens} of them forced, {result.passes} passes")


if __name__ == "__main__":
    main()
