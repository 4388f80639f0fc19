from maskwright.kernel.expressions cimport Expressions
from maskwright.kernel.moves cimport Moves

cdef class Loops:
    cdef public Expressions expressions
    cdef public Moves moves
    cdef public dict categories      # character ranges -> mask of the categories wholly inside

    cpdef bint is_words(self, int x) except -1
