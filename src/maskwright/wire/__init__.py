"""What goes over HTTP: requests, answers, events and faults as the APIs of OpenAI and Cerebras have them. No I/O.

A server reads with :mod:`~maskwright.wire.completions` and :mod:`~maskwright.wire.chat`, asks
:mod:`~maskwright.wire.constraints` what the output must be, and writes with :mod:`~maskwright.wire.answers`,
:mod:`~maskwright.wire.events` and :mod:`~maskwright.wire.faults`; a client reads events and faults with the same files.
"""
