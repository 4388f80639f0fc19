"""The lazy network: lexical terms and the nodes that use them."""
