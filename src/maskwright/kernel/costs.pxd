from maskwright.kernel.closures cimport Closures
from maskwright.kernel.shortest cimport Shortest
from maskwright.kernel.trie cimport Trie

cdef class Costs:
    cdef public Closures closures
    cdef public Trie trie
    cdef public Shortest shortest
    cdef public object enough        # callable: node key -> words that suffice for a shortest text, as bits; 0 for all
    cdef public int most_steps       # steps of one search
    cdef public dict nodes           # node -> weight
    cdef public dict starts          # node -> first position of its best production
    cdef public dict rests           # position -> weight to the end of its production
    cdef public dict labels          # position of a switch -> (target, text) of its best word
    cdef public dict lexemes         # lexeme state -> weight of what ends it
    cdef public dict pieces          # text -> its weight
    cdef public dict switches        # (state, position) of a switch in progress -> (weight, target, text)
    cdef public dict stacks          # stack -> weight of returning through it
    cdef public dict ways            # stack -> its best entry
    cdef int scanned                 # positions that were looked at for recalls
    cdef bint recalls                # whether one of them is one

    cpdef object lexeme(self, int state)
    cpdef object piece(self, bytes text)
    cpdef tuple fewest(self, bytes text, tuple like=*)
    cdef int _count_code(self, bytes data, int i, int[::1] counts, int[::1] firsts) except -1
    cdef int _alike(self, bytes text, tuple like, int[::1] counts, int[::1] firsts) except -1
    cpdef bint has_recalls(self) except -1
    cpdef object node(self, int node)
    cpdef object rest(self, int position)
    cpdef object item(self, int state, int position, int stack)
    cpdef object within(self, int state, int position)
    cpdef tuple switch(self, int state, int position)
    cpdef object stack(self, int stack)
    cpdef bytes text(self, int state, int position, int stack)
