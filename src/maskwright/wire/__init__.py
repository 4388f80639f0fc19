"""What goes over HTTP: requests, answers, events and faults as the APIs of OpenAI and Cerebras have them. No I/O."""
