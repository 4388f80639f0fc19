from maskwright.kernel.expressions cimport Expressions

cdef class Moves:
    cdef public Expressions expressions
    cdef public int emptiness_states       # states that one decision about emptiness may visit
    cdef public dict known                 # x -> its moves, dead targets left out
    cdef public dict drafts                # x -> its moves, dead targets included; hollow x only
    cdef public dict life                  # x -> ALIVE or DEAD; hollow x that were decided
    cdef public int effort                 # moves that were looked at since other threads could run

    cpdef int spend(self, int effort) except -1
