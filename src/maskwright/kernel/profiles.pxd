from maskwright.kernel.lexicon cimport Lexicon
from maskwright.kernel.trie cimport Trie

cdef class Profile:
    cdef public int state                  # the loop's state
    cdef public int words                  # 32-bit words of a row
    cdef public unsigned int[::1] inside   # row: tokens after which the lexeme goes on or has just ended
    cdef public int[::1] spent             # spent[token]: characters of the loop it uses, -1 if it cannot be read
    cdef public int[::1] landing           # landing[token]: the state after it, if the lexeme goes on
    cdef public int[::1] crossing          # crossing[token]: 1 if the lexeme ends in or after it, else -1
    cdef public Trie rests                 # what is left of crossing tokens after the lexeme's end
    cdef public int most                   # the largest spent[token]
    cdef public list ending                # tokens with which the lexeme ends exactly, once asked for
    cdef public dict limits                # n -> row of tokens that spend at most n
    cdef public dict floors                # n -> row without tokens that end the lexeme having spent less than n

    cdef int _explore(self, Lexicon lexicon, Trie trie, list rests, list owners) except -1
