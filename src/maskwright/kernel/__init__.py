"""The compiled kernel: arrays of int32, bytes and ids; it knows nothing of schemas or grammars."""
