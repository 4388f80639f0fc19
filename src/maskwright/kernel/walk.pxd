from maskwright.kernel.covers cimport Covers
from maskwright.kernel.expressions cimport Expressions
from maskwright.kernel.frames cimport Frames
from maskwright.kernel.closures cimport Closures
from maskwright.kernel.lexicon cimport Lexicon
from maskwright.kernel.trie cimport Trie

cdef class Walker(Frames):
    cdef public Trie trie
    cdef public Covers covers
    cdef public list end_ids               # token ids that end the output
    cdef public list doubtful              # tokens of the last mask that end two captured strings, not set in it

    cpdef int advance(self, int configuration, int token, bytes data, object source) except -2
    cpdef int name(self, int configuration, int token, bytes data, object source) except -2
    cpdef int fill_named(self, int configuration, unsigned int[::1] row) except -1
    cdef int _fill_named(self, tuple items, unsigned int[::1] row) except -1
    cdef int _walk(self, Trie trie, unsigned int[::1] row, int node, int stop, unsigned long long covered, int covered_most) except -1
    cdef unsigned long long _beginnings(self, int state, int position, int stack) except 0
    cpdef int fill(self, int configuration, unsigned int[::1] row) except -1
    cdef int _fill_items(self, tuple items, unsigned int[::1] row) except -1
    cdef int _fill_wide(self, tuple item, unsigned int[::1] row) except -1
    cdef int _fill_words(self, tuple item, int run, unsigned int[::1] row) except -1
    cdef int _spell(self, int node, int point, unsigned int[::1] row) except -2
    cdef int _set(self, Trie trie, int node, unsigned int[::1] row) except -1
    cdef int _walk_root(self, unsigned int[::1] row) except -1
    cdef int _exclude(self, int state, int base, unsigned int[::1] row) except -1
    cdef int _exclude_states(self, list todo, unsigned int[::1] row, int only=*) except -1
