from maskwright.kernel.lexicon cimport Lexicon

cdef class Closures:
    cdef public Lexicon lexicon
    cdef public object expand        # callable: node key -> productions
    cdef public int stack_depth      # cap on the height of a stack
    cdef public bint unspellable     # a lexeme was met that the vocabulary's bytes cannot write
    cdef public long long effort     # entries merged and entered for the present mask or byte; at most most_effort
    cdef public long long most_effort
    cdef long long next_effort
    cdef public dict node_ids        # node key -> node
    cdef public list node_keys       # node_keys[node]
    cdef public list node_starts     # node_starts[node]: first positions of its productions; None until expanded
    cdef public int places           # number of positions
    cdef public int[::1] kind            # kind[position]: FINAL, END, LEX, CAPTURE, CALL or RECALL
    cdef public int[::1] state           # state[position]: first lexeme state of LEX, CAPTURE and RECALL
    cdef public int[::1] target          # target[position]: node of CALL, CAPTURE and RECALL
    cdef public int[::1] goto_base       # goto_base[position]: the place after LEX, CAPTURE and RECALL, -1 for a switch
    cdef public int[::1] owner           # owner[position]: the node whose production it belongs to
    cdef public int[::1] filter          # filter[position]: which words of a switch may be read, -1 for all
    cdef public int[::1] weight          # weight[position]: what the end of its lexeme adds to Frames.crossed; -1: one, if that is not 0
    cdef public list lives           # lives[filter]: bit i set if word i may be read
    cdef public dict live_ids        # that bit set -> filter
    cdef public dict passed          # filter << 32 | state -> whether a live word is still ahead
    cdef public dict choices         # position of a switch -> its targets by word
    cdef public dict counts          # (filter, word table) -> how many of its first n words may be read, for every n
    cdef public list goto_node       # goto_node[goto]: node to call first, -1 for none
    cdef public list goto_position   # goto_position[goto]: where to go on after it
    cdef public dict goto_ids        # (node, position) -> goto, for places made by switches and captures
    cdef public list stacks          # stacks[stack]: ((position, stack below), ...) sorted, positions distinct
    cdef public dict stack_ids       # entries -> stack
    cdef public list depth           # depth[stack]: height, NIL has 0
    cdef public dict merged          # (smaller stack, larger stack) -> their union
    cdef public dict ids             # goto << 32 | stack -> closure
    cdef long long[::1] memo_key     # memo_key[slot]: the last key of the table of closures that fell there, -1 if none
    cdef int[::1] memo_value         # memo_value[slot]: its closure
    cdef public int count            # number of closures
    cdef public int[::1] offset      # offset[closure]: its first item; offset[count] is where the next begins
    cdef public unsigned long long[::1] entry  # entry[closure]: categories that its items can begin with, and KNOWN; 0 if not computed
    cdef public int[::1] states      # states[item]: lexeme state
    cdef public int[::1] masked      # masked[item]: the state that a mask may take for it
    cdef public int[::1] positions   # positions[item]: position of that lexeme
    cdef public int[::1] stack_of    # stack_of[item]: stack to return to after the lexeme's production
    cdef public dict returned        # stack -> the items that are entered where a production ends with it

    cpdef int find(self, int goto, int stack) except -1
    cpdef unsigned long long begin(self, int found) except 0
    cpdef bint passes(self, int filter_, int state) except -1
    cpdef int leave(self, int position, int label) except -1
    cdef int _spend(self, int effort) except -1
