cdef class Expressions:
    cdef public list kind                  # kind[x]: which constructor; says what the next four columns hold
    cdef public list first                 # first[x]
    cdef public list second                # second[x]
    cdef public list third                 # third[x]
    cdef public list parts                 # parts[x]: a tuple
    cdef public list nullable              # nullable[x]: the empty string is in x
    cdef public list hollow                # hollow[x]: built with AND or NOT of text, so it may be empty without being NEVER
    cdef public dict ids                   # (kind, first, second, third, parts) -> x; at most one x per key
    cdef public list tables                # tables[t]: (sorted words, their places in the given order or [])
    cdef public dict table_ids             # (labelled, words) -> t
    cdef public list machines              # machines[m]: an object with moves() and accepts()
    cdef public dict machine_ids           # machine -> m
    cdef public list machine_states        # machine_states[m][i]: the i-th state of machine m
    cdef public list machine_state_ids     # machine_state_ids[m][state] -> i

    cpdef int make(self, int kind, int first, int second, int third, tuple parts, bint nullable, bint hollow) except -1
    cpdef int label(self, int which) except -1
    cpdef int word_run(self, int table, int low, int high, int depth) except -1
    cpdef int narrow(self, int x, str more) except -1
    cpdef int cat(self, int one, int other) except -1
    cpdef int repeat(self, int x, int least, int most) except -1
    cpdef int raw(self, int x) except -1
    cpdef int body(self, int x, int minimal) except -1
    cpdef int escape(self, int x, int minimal) except -1
