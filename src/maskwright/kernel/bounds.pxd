from maskwright.kernel.expressions cimport Expressions
from maskwright.kernel.moves cimport Moves

cdef class Bounds:
    cdef public Expressions expressions
    cdef public Moves moves
    cdef public int longest          # characters of the longest token
    cdef public dict known           # x -> what a mask may take for it
    cdef public dict distance        # x -> farthest nearest end of its derivatives, -1 unknown
