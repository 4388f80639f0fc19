from maskwright.kernel.closures cimport Closures
from maskwright.kernel.lexicon cimport Lexicon

cdef class Frames:
    cdef public Closures closures
    cdef public Lexicon lexicon
    cdef public object realize             # callable: (node key, string) -> node key
    cdef public int longest                # bytes that are followed without a configuration in between
    cdef public object source              # gives the captured string while real bytes are read; None inside a mask
    cdef public int done                   # bytes read so far by the present read()
    cdef bint masking                      # a mask is being filled: closures give the states that count least
    cdef int capture                       # CAPTURE, as a C integer
    cdef int recall                        # RECALL, as a C integer
    cdef public int captured               # the greatest weight (-1 counts least) of a lexeme that ended in the present read(), or at a node of a walk
    cdef int[::1] crossed                  # crossed[d]: weights of lexemes that ended on the present path up to depth d; 2 is undecided without the text
    cdef long long effort                  # comparisons of items for the present mask or byte; at most EFFORT
    cdef long long next_effort             # where other threads may run next
    cdef long long slice                   # SLICE, as a C integer
    cdef int capacity                      # items that the frames have room for
    cdef int[::1] states                   # states[i]: lexeme state of the i-th item of the frames
    cdef int[::1] positions                # positions[i]: its position
    cdef int[::1] stacks                   # stacks[i]: its stack
    cdef int[::1] offset                   # offset[d]: first item of frame d; offset[d + 1] is one past its last
    cdef public list configurations        # configurations[c]: sorted tuple of (state, position, stack)
    cdef public dict configuration_ids     # that tuple -> c
    cdef public list accepting             # accepting[c]: the output may end here
    cdef public dict transitions           # c << 32 | token -> configuration after it, or REFUSED
    cdef public int root                   # the first configuration

    cpdef int configuration(self, list items) except -2
    cdef int _load(self, tuple items, int d=*) except -1
    cdef list _frame(self, int d)
    cdef int _add(self, int start, int top, int state, int position, int stack) except -1
    cdef int _widen(self) except -1
    cdef int _pause(self) except -1
    cdef int _leave(self, int start, int top, int state, int position, int stack) except -1
    cdef int _load_closure(self, int found, int d=*) except -1
    cdef int _step(self, int d, int byte) except -1
    cpdef int canonical(self, int configuration) except -1
    cpdef int advance(self, int configuration, int token, bytes data, object source) except -2
    cdef list _merged(self, list items)
    cpdef int join(self, int one, int other) except -2
    cpdef int read(self, int configuration, bytes data, object source) except -2
    cdef int _leap(self, int configuration, bytes data) except -1
    cdef int _mark_live(self, int d, unsigned char[::1] live) except -1
    cpdef list next_bytes(self, int configuration)
    cpdef bytes forced(self, int configuration)
