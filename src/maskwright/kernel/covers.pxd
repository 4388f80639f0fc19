from maskwright.kernel.trie cimport Trie

cdef class Covers:
    cdef public int width                     # bits of a row
    cdef public int cap                       # rows kept
    cdef public object tokens                 # tokens[id]: its bytes
    cdef public dict residues                 # (categories, inside a string) -> Trie of the tokens with other categories
    cdef public dict rows                     # (categories, most) -> array('I')
    cdef public unsigned long long[::1] path  # path[j]: categories of the j-th token in trie order
    cdef public int[::1] length               # length[j]: its characters
    cdef public int[::1] order                # order[j]: its id
    cdef public Trie trie                     # the whole vocabulary
    cdef public dict profiles                 # state -> Profile of an endless text loop
    cdef public int strings                   # state of a free string body, whose profile is learned first
    cdef public dict asked                    # state, or key of a residue -> how often it was asked for, while it does not exist
    cdef public int longest                   # characters of the longest token
    cdef public int[::1] by_length            # places in trie order, sorted by length
    cdef public int[::1] up_to                # up_to[n]: how many tokens have fewer than n characters

    cpdef void add(self, unsigned long long categories, int most, unsigned int[::1] row) except *
