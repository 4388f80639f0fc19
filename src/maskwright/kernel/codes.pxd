cdef class Codes:
    cdef public dict names    # name of a control token -> its id
    cdef public object tokens # tokens[id]: its text
    cdef public dict named    # id that some grammar named -> its code
    cdef public dict ids      # code -> id
    cdef public object tree   # trie of the codes; None if one was named since it was built
