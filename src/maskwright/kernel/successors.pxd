from maskwright.kernel.lexicon cimport Lexicon
from maskwright.kernel.profiles cimport Profile
from maskwright.kernel.trie cimport Trie
from maskwright.kernel.walk cimport Walker

cdef class Successors:
    cdef public Walker walker
    cdef int[::1] at                 # at[d]: the configuration after d bytes of the present path, OPEN if not interned
    cdef int[::1] ended              # ended[d]: captured strings that ended on it
    cdef unsigned long long lengthy  # categories of characters in the middle of which a token may end
    cdef dict free                   # state -> whether the characters that it loops on lead back to it

    cdef int _leave(self, tuple item, Profile profile, dict groups) except -1
    cdef set _walk(self, Trie trie, dict groups, bint skipping)
    cdef bint _stays(self, int d) except -1
    cdef bint _is_free(self, Lexicon lexicon, Trie trie, int node, int d) except -1
    cdef bint _covers(self, Lexicon lexicon, Trie trie, int node, int d) except -1
