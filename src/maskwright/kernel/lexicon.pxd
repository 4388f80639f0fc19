from maskwright.kernel.bounds cimport Bounds
from maskwright.kernel.codes cimport Codes
from maskwright.kernel.expressions cimport Expressions
from maskwright.kernel.loops cimport Loops
from maskwright.kernel.moves cimport Moves

cdef class Lexicon:
    cdef public Expressions expressions
    cdef public Moves moves
    cdef public Bounds bounds
    cdef public Loops loops
    cdef public Codes codes               # the tokens that grammars name
    cdef public int longest              # characters of the longest token
    cdef public dict masked              # state -> the state that a mask may take for it
    cdef public list absent              # bytes that no token of the vocabulary holds, ascending
    cdef public dict spelled             # byte expression -> whether present bytes lead to its end
    cdef public dict terms               # Term -> expression
    cdef public dict state_ids           # byte expression -> state
    cdef public list state_expressions   # state_expressions[state]: its byte expression
    cdef public object _columns          # the columns behind the views below, as a list
    cdef public int capacity             # states that the columns have room for
    cdef public int[::1] rows            # rows[256 * state + byte]: next state, DEAD, or UNKNOWN throughout an unfilled row
    cdef public int[::1] flags           # flags[state]: CONTINUES | ACCEPTS | WIDE
    cdef public int[::1] label           # label[state]: which word was read, of accepting states
    cdef public unsigned long long[::1] run  # run[state]: categories that the state loops on
    cdef public int[::1] base            # base[state]: the endless loop it equals but for the next two columns or, if those bound nothing, for excluded words; or DEAD
    cdef public int[::1] least           # least[state]: characters still needed, if base[state]
    cdef public int[::1] limit           # limit[state]: characters still allowed, if base[state]
    cdef public int[::1] most            # most[state]: for that many characters at least

    cpdef int state(self, int x) except -1
    cpdef void fill(self, int s) except *
    cdef bint _fill_words(self, int s, int x) except -1
    cdef void _fill_ascii(self, int s, int x) except *
    cdef bint _fill_other(self, int s, int x) except -1
    cdef void _learn_run(self, int s, int x) except *
    cdef void _describe(self, int s, int x) except *
    cpdef int leap(self, int s, str text) except -1
    cpdef int mask_state(self, int s) except -1
    cpdef int step(self, int s, int byte) except -1
