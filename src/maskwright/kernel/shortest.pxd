from maskwright.kernel.expressions cimport Expressions
from maskwright.kernel.lexicon cimport Lexicon

cdef class Shortest:
    cdef public Lexicon lexicon
    cdef public Expressions expressions
    cdef public int most_states      # expressions that one search may visit
    cdef public dict known           # 3 * expression + how it is written -> bytes of its shortest string, ENDLESS if none
    cdef public dict steps           # the same key, of what was searched -> (first bytes, expression after them)
    cdef public dict characters      # (low, high, how) -> (bytes, spelling) of the cheapest character
    cdef public dict choices         # state of labelled words -> [(bytes, label, text)], shortest first
    cdef public dict sums            # expression -> (lower bounds of its counters, parts that are searched), added up
    cdef public list ascii           # ascii[how]: (bytes, character, spelling), the preferred first

    cpdef object cost(self, int x, int mode)
    cpdef tuple character(self, int low, int high, int mode)
    cpdef bytes text(self, int x, int mode)
    cpdef list options(self, int state)
    cpdef object demand(self, int state)
    cpdef bint is_simple(self, int x) except -1
    cpdef bint is_searched(self, int x, int mode) except -1
