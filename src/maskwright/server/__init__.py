"""A local server that speaks the APIs of OpenAI and Cerebras, with everything enforced."""
