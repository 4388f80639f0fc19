cdef class Trie:
    cdef public int[::1] byte          # array('i'): byte[node], the last byte of the node's prefix
    cdef public int[::1] depth         # array('i'): depth[node], length of the prefix; the root has 0
    cdef public int[::1] end           # array('i'): end[node], one past the last node of the subtree
    cdef public int[::1] first_token   # array('i'): first_token[node], place in order of the subtree's first token
    cdef public int[::1] order         # array('i'): token ids sorted by their bytes; equal bytes stand together
    cdef public unsigned long long[::1] below         # array('Q'): below[node], categories of the bytes after the prefix, in the subtree
    cdef public unsigned long long[::1] path          # array('Q'): path[node], categories of the prefix itself
    cdef public int[::1] reach         # array('i'): reach[node], most characters of any token in the subtree
    cdef public int[::1] characters    # array('i'): characters[node], characters begun by the prefix
    cdef public int[::1] root_child    # array('i'): root_child[byte], the root's child, -1 if none
    cdef public int longest          # bytes of the longest token
    cdef public int size             # number of nodes, the root included

    cdef int _fill(self, list texts) except -1
    cdef int _summarise(self) except -1
    cdef int _child(self, int node, int wanted) except -2
