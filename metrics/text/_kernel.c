/* The words of a text in sentences, and the union of the LCSs of two such texts: the compiled twin of words.py and
 * lcs.py. It does what they do, bit for bit; why the walk is right is said there.
 *
 * Where it differs is in how: words are slices of one buffer of UTF-8 with a dense number for each distinct word, and a
 * column of the LCS table is a row of 64-bit blocks of which only those that a word stands in, or a carry reaches, are
 * touched. What is looked up often is held in 32 bits, so that the references of a run stay in the processor's cache.
 *
 * Only the limited API of Python 3.11 is used, so that one file serves every later version. Nothing here holds a Python
 * object, and the GIL is held throughout.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#ifndef KERNEL_SOURCE
#define KERNEL_SOURCE "unknown" /* the build says which source this is */
#endif
#define REVISION 2 /* of what kernel.py calls; the same number stands there */

typedef Py_ssize_t size;
typedef uint64_t block;

enum { BITS = 64 };

typedef uint32_t number; /* of a letter, a word, a type or a block: a text of so many bytes that it runs over is refused */

typedef struct {
    uint64_t hash;
    number start; /* in the letters */
    number length;
} Type;

typedef struct {
    PyObject_HEAD
    char *letters; /* in UTF-8; lone surrogates as if they were characters */
    size count;    /* words */
    number *ids;   /* of each word, the number of its type */
    size sentences;
    size *ends; /* of each sentence, the number of words up to its end */
    size types;
    Type *type;
    size mask; /* slots - 1 */
    number *slots; /* a type's number + 1, or 0 */
    /* What a reference needs besides; made when the text first is one. A bit that belongs to no word stands after each
     * sentence and stops the carry of the addition there. */
    size blocks;
    block *everywhere; /* the bits of all words */
    number *first;       /* of each type, where its pieces begin; one more for the end */
    number *piece_block; /* a piece is what a type has in one block */
    block *piece_bits;
} Words;

/* --- memory: every array is made here, and a product that overflows is no memory ------------------------------------ */

static void *
array(size count, size width)
{
    void *made = PyMem_Calloc((size_t)(count > 0 ? count : 1), (size_t)width);
    if (made == NULL) {
        PyErr_NoMemory();
    }
    return made;
}

/* --- white space: what str.split() splits at ------------------------------------------------------------------------ */

enum Class { LETTER, SPACE, STOP, LEAD }; /* LEAD: the first byte of characters of which some are white space */

static unsigned char classes[256]; /* of each byte */

static void
fill_classes(void)
{
    const unsigned char spaces[] = {' ', 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F};
    const unsigned char leads[] = {0xC2, 0xE1, 0xE2, 0xE3};
    for (size_t i = 0; i < sizeof spaces; i++) {
        classes[spaces[i]] = SPACE;
    }
    for (size_t i = 0; i < sizeof leads; i++) {
        classes[leads[i]] = LEAD;
    }
    classes['.'] = STOP;
}

/* How many bytes the white space has that begins here; 0 for anything else. */
static size
space_at(const unsigned char *letters, size left)
{
    switch (classes[letters[0]]) {
    case SPACE:
        return 1;
    case LEAD:
        break;
    default:
        return 0;
    }
    if (letters[0] == 0xC2) { /* U+0085, U+00A0 */
        return left > 1 && (letters[1] == 0x85 || letters[1] == 0xA0) ? 2 : 0;
    }
    if (left < 3) {
        return 0;
    }
    unsigned char second = letters[1], third = letters[2];
    if (letters[0] == 0xE1) { /* U+1680 */
        return second == 0x9A && third == 0x80 ? 3 : 0;
    }
    if (letters[0] == 0xE3) { /* U+3000 */
        return second == 0x80 && third == 0x80 ? 3 : 0;
    }
    if (second == 0x80) { /* U+2000 to U+200A, U+2028, U+2029, U+202F */
        return third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF ? 3 : 0;
    }
    return second == 0x81 && third == 0x9F ? 3 : 0; /* U+205F */
}

/* --- a hash that nobody can prepare texts for: SipHash-1-3, with a key of this process ------------------------------- */

static uint64_t key0, key1;

#define ROTATE(x, by) (((x) << (by)) | ((x) >> (64 - (by))))
#define SIP_ROUND                                                                                                       \
    do {                                                                                                                \
        v0 += v1; v1 = ROTATE(v1, 13); v1 ^= v0; v0 = ROTATE(v0, 32);                                                   \
        v2 += v3; v3 = ROTATE(v3, 16); v3 ^= v2;                                                                        \
        v0 += v3; v3 = ROTATE(v3, 21); v3 ^= v0;                                                                        \
        v2 += v1; v1 = ROTATE(v1, 17); v1 ^= v2; v2 = ROTATE(v2, 32);                                                   \
    } while (0)

static uint64_t
hash_of(const char *letters, size length)
{
    uint64_t v0 = key0 ^ 0x736f6d6570736575u, v1 = key1 ^ 0x646f72616e646f6du;
    uint64_t v2 = key0 ^ 0x6c7967656e657261u, v3 = key1 ^ 0x7465646279746573u;
    uint64_t m, last = (uint64_t)length << 56;
    size i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&m, letters + i, 8);
        v3 ^= m;
        SIP_ROUND;
        v0 ^= m;
    }
    for (int shift = 0; i < length; i++, shift += 8) {
        last |= (uint64_t)(unsigned char)letters[i] << shift;
    }
    v3 ^= last;
    SIP_ROUND;
    v0 ^= last;
    v2 ^= 0xff;
    SIP_ROUND;
    SIP_ROUND;
    SIP_ROUND;
    return v0 ^ v1 ^ v2 ^ v3;
}

/* Return the slot of a word: that of its type, or the free one where it belongs. */
static size
slot_of(const Words *self, uint64_t hash, const char *letters, size length)
{
    size slot = (size)(hash & (uint64_t)self->mask);
    while (self->slots[slot]) {
        const Type *type = &self->type[self->slots[slot] - 1];
        if (type->hash == hash && type->length == (number)length &&
            memcmp(self->letters + type->start, letters, (size_t)length) == 0) {
            break;
        }
        slot = (slot + 1) & self->mask;
    }
    return slot;
}

/* --- making: from a text, cut at full stops and white space, or from sentences that were cut before ------------------ */

/* Make room for so many words and sentences; the slots are at most three quarters full. */
static int
reserve(Words *self, size words, size sentences)
{
    size slots = 8;
    while (slots - slots / 4 < words) {
        if (slots > PY_SSIZE_T_MAX / 2) {
            PyErr_NoMemory();
            return -1;
        }
        slots *= 2;
    }
    self->mask = slots - 1;
    self->ids = array(words, sizeof *self->ids);
    self->ends = self->ids ? array(sentences, sizeof *self->ends) : NULL;
    self->type = self->ends ? array(words, sizeof *self->type) : NULL;
    self->slots = self->type ? array(slots, sizeof *self->slots) : NULL;
    return self->slots ? 0 : -1;
}

static void
add_word(Words *self, size start, size length)
{
    uint64_t hash = hash_of(self->letters + start, length);
    size slot = slot_of(self, hash, self->letters + start, length);
    if (!self->slots[slot]) {
        Type *type = &self->type[self->types++];
        type->start = (number)start;
        type->length = (number)length;
        type->hash = hash;
        self->slots[slot] = (number)self->types;
    }
    self->ids[self->count++] = self->slots[slot] - 1;
}

static void
end_sentence(Words *self)
{
    self->ends[self->sentences++] = self->count;
}

/* How many words or sentences a text has at most: one more than it has bytes that may end one. */
static size
most_words(const char *letters, size length)
{
    size ends = 0;
    for (size at = 0; at < length; at++) {
        ends += classes[(unsigned char)letters[at]] != LETTER;
    }
    return ends + 1;
}

/* Cut a text. A blank piece between two full stops is one empty word. */
static void
cut(Words *self, size length)
{
    const unsigned char *letters = (const unsigned char *)self->letters;
    size at = 0, space;
    while (at < length) {
        size before = self->count, from = at;
        while (at < length && letters[at] != '.') {
            if ((space = space_at(letters + at, length - at))) {
                at += space;
                continue;
            }
            size start = at;
            do {
                at++; /* the rest of a character is no white space, nor a full stop */
                while (at < length && classes[letters[at]] == LETTER) {
                    at++;
                }
            } while (at < length && classes[letters[at]] == LEAD && !space_at(letters + at, length - at));
            add_word(self, start, at - start);
        }
        if (at > from) {
            if (self->count == before) {
                add_word(self, from, 0);
            }
            end_sentence(self);
        }
        at++; /* the full stop */
    }
}

/* Give the bytes of a text, and hold in `bytes` what they belong to if that is not the text itself. */
static const char *
bytes_of(PyObject *text, size *length, PyObject **bytes)
{
    const char *letters = PyUnicode_AsUTF8AndSize(text, length);
    *bytes = NULL;
    if (letters == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) { /* lone surrogates */
        PyErr_Clear();
        char *made;
        *bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
        if (*bytes == NULL || PyBytes_AsStringAndSize(*bytes, &made, length) < 0) {
            Py_CLEAR(*bytes);
            return NULL;
        }
        letters = made;
    }
    return letters;
}

/* Refuse more letters than numbers can tell apart. */
static int
check_size(size length)
{
    if ((uint64_t)length >= UINT32_MAX / 2) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static int
read_text(Words *self, PyObject *text)
{
    size length, words;
    PyObject *bytes;
    const char *letters = bytes_of(text, &length, &bytes);
    if (letters == NULL || check_size(length) < 0 || !(self->letters = array(length, 1))) {
        Py_XDECREF(bytes);
        return -1;
    }
    memcpy(self->letters, letters, (size_t)length);
    Py_XDECREF(bytes);
    words = most_words(self->letters, length);
    if (reserve(self, words, words) < 0) {
        return -1;
    }
    cut(self, length);
    return 0;
}

/* Add the words of a sentence and their letters to the counts. */
static int
measure_sentence(PyObject *sentence, size *words, size *letters)
{
    if (!PyList_Check(sentence)) {
        PyErr_SetString(PyExc_TypeError, "a sentence is a list of words");
        return -1;
    }
    size count = PyList_Size(sentence);
    for (size i = 0; i < count; i++) {
        PyObject *word = PyList_GetItem(sentence, i); /* borrowed */
        if (word == NULL || !PyUnicode_Check(word)) {
            PyErr_SetString(PyExc_TypeError, "a word is a str");
            return -1;
        }
        size length;
        PyObject *bytes;
        if (bytes_of(word, &length, &bytes) == NULL) {
            return -1;
        }
        Py_XDECREF(bytes);
        *letters += length; /* no overflow: what it is checked against is far below */
        if (check_size(*letters) < 0) {
            return -1;
        }
    }
    *words += count;
    return check_size(*words);
}

static int
read_sentences(Words *self, PyObject *source)
{
    size sentences = PyList_Size(source), words = 0, letters = 0, used = 0;
    for (size i = 0; i < sentences; i++) {
        if (measure_sentence(PyList_GetItem(source, i), &words, &letters) < 0) {
            return -1;
        }
    }
    if (!(self->letters = array(letters, 1)) || reserve(self, words, sentences) < 0) {
        return -1;
    }
    for (size i = 0; i < sentences; i++) {
        PyObject *sentence = PyList_GetItem(source, i);
        size count = PyList_Size(sentence);
        for (size j = 0; j < count; j++) {
            PyObject *word = PyList_GetItem(sentence, j);
            size length;
            PyObject *bytes;
            const char *own = bytes_of(word, &length, &bytes);
            if (own == NULL) {
                return -1;
            }
            memcpy(self->letters + used, own, (size_t)length);
            Py_XDECREF(bytes);
            add_word(self, used, length);
            used += length;
        }
        end_sentence(self);
    }
    return 0;
}

static int
read_source(Words *self, PyObject *source)
{
    if (PyUnicode_Check(source)) {
        return read_text(self, source);
    }
    if (PyList_Check(source)) {
        return read_sentences(self, source);
    }
    PyErr_SetString(PyExc_TypeError, "Words are made of a str, or of a list of sentences");
    return -1;
}

static PyObject *
words_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    PyObject *source;
    static char *names[] = {"source", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "O:Words", names, &source)) {
        return NULL;
    }
    Words *self = (Words *)PyType_GenericAlloc(type, 0); /* all fields are zero */
    if (self == NULL) {
        return NULL;
    }
    if (read_source(self, source) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void
free_arrays(Words *self)
{
    PyMem_Free(self->letters);
    PyMem_Free(self->ids);
    PyMem_Free(self->ends);
    PyMem_Free(self->type);
    PyMem_Free(self->slots);
    PyMem_Free(self->everywhere);
    PyMem_Free(self->first);
    PyMem_Free(self->piece_block);
    PyMem_Free(self->piece_bits);
}

static void
words_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    free_arrays((Words *)object);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* --- a reference: where its words stand ------------------------------------------------------------------------------ */

/* Fill in the pieces of each type, in the order of their blocks; `last` is scratch of a number for each type. */
static void
place_words(Words *self, size *last)
{
    size bit = 0, word = 0;
    for (size sentence = 0; sentence < self->sentences; sentence++, bit++) {
        for (; word < self->ends[sentence]; word++, bit++) {
            size id = self->ids[word], at = bit / BITS;
            block mask = (block)1 << (bit % BITS);
            if (last[id] == self->first[id] || self->piece_block[last[id] - 1] != at) {
                self->piece_block[last[id]++] = (number)at;
            }
            self->piece_bits[last[id] - 1] |= mask;
            self->everywhere[at] |= mask;
        }
    }
}

/* Count the pieces of each type into `first`, one type further, so that sums of them say where each begins. */
static void
count_pieces(Words *self, size *last)
{
    size bit = 0, word = 0;
    for (size sentence = 0; sentence < self->sentences; sentence++, bit++) {
        for (; word < self->ends[sentence]; word++, bit++) {
            size id = self->ids[word];
            if (last[id] != bit / BITS + 1) {
                last[id] = bit / BITS + 1;
                self->first[id + 1]++;
            }
        }
    }
    for (size id = 0; id < self->types; id++) {
        self->first[id + 1] += self->first[id];
        last[id] = self->first[id];
    }
}

static int
become_reference(Words *self)
{
    size *last = array(self->types, sizeof *last);
    /* no overflow: words and sentences each are in memory by the eight bytes */
    size blocks = (self->count + self->sentences + BITS - 1) / BITS;
    self->first = last ? array(self->types + 1, sizeof *self->first) : NULL;
    if (self->first) {
        count_pieces(self, last);
        self->piece_block = array(self->first[self->types], sizeof *self->piece_block);
        self->piece_bits = self->piece_block ? array(self->first[self->types], sizeof *self->piece_bits) : NULL;
        self->everywhere = self->piece_bits ? array(blocks, sizeof *self->everywhere) : NULL;
    }
    if (!self->everywhere) { /* as if nothing had been tried */
        PyMem_Free(last);
        PyMem_Free(self->first);
        PyMem_Free(self->piece_block);
        PyMem_Free(self->piece_bits);
        self->first = self->piece_block = NULL;
        self->piece_bits = NULL;
        return -1;
    }
    self->blocks = blocks;
    place_words(self, last);
    PyMem_Free(last);
    return 0;
}

/* --- the LCS --------------------------------------------------------------------------------------------------------- */

static int
bit_count(block x)
{
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int)((x * 0x0101010101010101u) >> 56);
}

static int
highest_bit(block x) /* of a block that is not 0 */
{
    int at = 0;
    for (int step = 32; step; step /= 2) {
        if (x >> step) {
            x >>= step;
            at += step;
        }
    }
    return at;
}

/* The bits of a block that are in [low, high). */
static block
window_of(size at, size low, size high)
{
    block bits = ~(block)0;
    if (low > at * BITS) {
        bits &= ~(block)0 << (low - at * BITS);
    }
    if (high < (at + 1) * BITS) {
        bits &= ((block)1 << (high - at * BITS)) - 1;
    }
    return bits;
}

/* Write the column after one more word: a set bit marks a row where the length does not grow. */
static void
add_column(const Words *reference, size id, const block *before, block *after)
{
    size piece = reference->first[id], end = reference->first[id + 1], at = 0;
    block carry = 0;
    memcpy(after, before, (size_t)reference->blocks * sizeof *after);
    while (piece < end || carry) {
        if (!carry) {
            at = reference->piece_block[piece];
        }
        block flat = before[at], matched = 0;
        if (piece < end && reference->piece_block[piece] == at) {
            matched = flat & reference->piece_bits[piece++];
        }
        block sum = flat + matched, carried = sum < flat;
        sum += carry;
        carried |= sum < carry;
        after[at] = (sum | (flat & ~matched)) & reference->everywhere[at];
        carry = carried;
        at++; /* the bit after the last sentence takes every carry: this is a block that there is, or there is no carry */
    }
}

/* How much the length has grown in the rows [low, high) of a column. */
static size
growth(const block *column, size low, size high)
{
    size length = 0;
    for (size at = low / BITS; at * BITS < high; at++) {
        length += bit_count(~column[at] & window_of(at, low, high));
    }
    return length;
}

/* The highest row of a word in [low, high), or -1. */
static size
row_below(const Words *reference, size id, size low, size high)
{
    for (size piece = reference->first[id + 1]; piece-- > reference->first[id];) {
        size at = reference->piece_block[piece];
        if (at * BITS < high && (at + 1) * BITS > low) {
            block bits = reference->piece_bits[piece] & window_of(at, low, high);
            if (bits) {
                return at * BITS + highest_bit(bits);
            }
        }
    }
    return -1;
}

/* Mark the words of the LCS with the reference sentence that has the rows [low, high); see _walk_back in lcs.py. */
static int
walk_back(const Words *reference, const size *hits, size count, const block *columns, size low, size high, char *found)
{
    size j = count - 1, blocks = reference->blocks;
    size length = growth(columns + j * blocks, low, high);
    while (length) {
        while (j && growth(columns + (j - 1) * blocks, low, high) == length) {
            j--;
        }
        found[hits[j]] = 1;
        high = row_below(reference, hits[j], low, high);
        length--;
        if (high < low || (length && !j)) {
            PyErr_SetString(PyExc_SystemError, "the kernel lost its way in an LCS; SCORESHEET_PURE=1 does without it");
            return -1;
        }
        j--;
    }
    return 0;
}

typedef struct {
    size *known;    /* of each type of the prediction, its number in the reference + 1, or 0 */
    size *hits;     /* the words that the reference has, by their numbers there */
    size *hit_ends; /* of each sentence of the prediction */
    size *rows;     /* of each sentence of the reference, where its rows begin; one more for the end */
    block *columns; /* one for each hit */
    block *missing; /* the rows of words of a sentence that are in no LCS yet */
    char *found;    /* of each type of the reference, whether it is in the union */
} Scratch;

static void
release(Scratch *scratch)
{
    PyMem_Free(scratch->known);
    PyMem_Free(scratch->hits);
    PyMem_Free(scratch->hit_ends);
    PyMem_Free(scratch->rows);
    PyMem_Free(scratch->columns);
    PyMem_Free(scratch->missing);
    PyMem_Free(scratch->found);
}

/* Find the words that the reference has. */
static int
find_hits(const Words *predicted, const Words *reference, Scratch *scratch)
{
    scratch->known = array(predicted->types, sizeof *scratch->known);
    scratch->hits = scratch->known ? array(predicted->count, sizeof *scratch->hits) : NULL;
    scratch->hit_ends = scratch->hits ? array(predicted->sentences, sizeof *scratch->hit_ends) : NULL;
    if (!scratch->hit_ends) {
        return -1;
    }
    for (size id = 0; id < predicted->types; id++) {
        const Type *type = &predicted->type[id];
        size slot = slot_of(reference, type->hash, predicted->letters + type->start, type->length);
        scratch->known[id] = reference->slots[slot];
    }
    size hits = 0, word = 0;
    for (size sentence = 0; sentence < predicted->sentences; sentence++) {
        for (; word < predicted->ends[sentence]; word++) {
            size known = scratch->known[predicted->ids[word]];
            if (known) {
                scratch->hits[hits++] = known - 1;
            }
        }
        scratch->hit_ends[sentence] = hits;
    }
    return 0;
}

/* Fill in the columns of all sentences, each beginning anew. */
static int
fill_columns(const Words *predicted, const Words *reference, Scratch *scratch)
{
    size hits = predicted->sentences ? scratch->hit_ends[predicted->sentences - 1] : 0, blocks = reference->blocks;
    if (hits && blocks > PY_SSIZE_T_MAX / (size)sizeof(block) / hits) {
        PyErr_NoMemory();
        return -1;
    }
    scratch->columns = array(hits * blocks, sizeof *scratch->columns);
    scratch->missing = scratch->columns ? array(blocks, sizeof *scratch->missing) : NULL;
    scratch->found = scratch->missing ? array(reference->types, sizeof *scratch->found) : NULL;
    scratch->rows = scratch->found ? array(reference->sentences + 1, sizeof *scratch->rows) : NULL;
    if (!scratch->rows) {
        return -1;
    }
    for (size sentence = 0, hit = 0; sentence < predicted->sentences; sentence++) {
        const block *before = reference->everywhere;
        for (; hit < scratch->hit_ends[sentence]; hit++) {
            block *after = scratch->columns + hit * blocks;
            add_column(reference, scratch->hits[hit], before, after);
            before = after;
        }
    }
    for (size sentence = 0; sentence < reference->sentences; sentence++) {
        scratch->rows[sentence + 1] = reference->ends[sentence] + sentence + 1;
    }
    return 0;
}

/* Walk back through one pair of sentences. */
static int
walk_pair(const Words *reference, Scratch *scratch, size predicted, size wanted)
{
    size from = predicted ? scratch->hit_ends[predicted - 1] : 0, count = scratch->hit_ends[predicted] - from;
    return walk_back(reference, scratch->hits + from, count, scratch->columns + from * reference->blocks,
                     scratch->rows[wanted], scratch->rows[wanted + 1] - 1, scratch->found);
}

/* Note the rows of those words of a sentence that are in no LCS yet, and return whether there are any. */
static int
note_missing(const Words *reference, Scratch *scratch, size predicted)
{
    int any = 0;
    for (size hit = predicted ? scratch->hit_ends[predicted - 1] : 0; hit < scratch->hit_ends[predicted]; hit++) {
        size id = scratch->hits[hit];
        if (!scratch->found[id]) {
            if (!any) {
                memset(scratch->missing, 0, (size_t)reference->blocks * sizeof *scratch->missing);
                any = 1;
            }
            for (size piece = reference->first[id]; piece < reference->first[id + 1]; piece++) {
                scratch->missing[reference->piece_block[piece]] |= reference->piece_bits[piece];
            }
        }
    }
    return any;
}

static int
is_missing(const Scratch *scratch, size low, size high)
{
    for (size at = low / BITS; at * BITS < high; at++) {
        if (scratch->missing[at] & window_of(at, low, high)) {
            return 1;
        }
    }
    return 0;
}

/* Each sentence meets its counterpart first, where most words are found, then those that hold a word still missing. */
static int
walk_all(const Words *predicted, const Words *reference, Scratch *scratch)
{
    for (size i = 0; i < predicted->sentences && i < reference->sentences; i++) {
        if (scratch->hit_ends[i] > (i ? scratch->hit_ends[i - 1] : 0) && walk_pair(reference, scratch, i, i) < 0) {
            return -1;
        }
    }
    for (size i = 0; i < predicted->sentences; i++) {
        if (!note_missing(reference, scratch, i)) {
            continue;
        }
        for (size j = 0; j < reference->sentences; j++) {
            if (j != i && is_missing(scratch, scratch->rows[j], scratch->rows[j + 1] - 1) &&
                walk_pair(reference, scratch, i, j) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* How many distinct words are in the union of the LCSs, or -1. */
static size
common_words(const Words *predicted, Words *reference)
{
    Scratch scratch = {0};
    size common = 0;
    int done = (reference->everywhere || become_reference(reference) == 0) &&
               find_hits(predicted, reference, &scratch) == 0 && fill_columns(predicted, reference, &scratch) == 0 &&
               walk_all(predicted, reference, &scratch) == 0;
    for (size id = 0; done && id < reference->types; id++) {
        common += scratch.found[id];
    }
    release(&scratch);
    return done ? common : -1;
}

static int
check_reference(PyObject *other, PyTypeObject *type)
{
    if (!PyObject_TypeCheck(other, type)) {
        PyErr_SetString(PyExc_TypeError, "a reference is Words of the same kernel");
        return -1;
    }
    return 0;
}

static PyObject *
words_union(PyObject *object, PyObject *other)
{
    if (check_reference(other, Py_TYPE(object)) < 0) {
        return NULL;
    }
    size common = common_words((Words *)object, (Words *)other);
    return common < 0 ? NULL : PyLong_FromSsize_t(common);
}

/* What a text has in common with a reference: its words are gone when it is compared. */
static PyObject *
comparison(PyObject *source, PyObject *reference, PyTypeObject *type)
{
    if (source == NULL || reference == NULL || check_reference(reference, type) < 0) {
        return NULL;
    }
    Words predicted = {0}; /* no object: only its arrays are made and freed */
    size common = read_source(&predicted, source) < 0 ? -1 : common_words(&predicted, (Words *)reference);
    PyObject *found = common < 0 ? NULL : Py_BuildValue("nnn", common, predicted.types, predicted.count);
    free_arrays(&predicted);
    return found;
}

static PyObject *
words_comparisons(PyObject *type, PyObject *arguments)
{
    PyObject *sources, *references;
    if (!PyArg_ParseTuple(arguments, "O!O!:comparisons", &PyList_Type, &sources, &PyList_Type, &references)) {
        return NULL;
    }
    size texts = PyList_Size(sources);
    if (texts != PyList_Size(references)) {
        PyErr_SetString(PyExc_ValueError, "there is not a reference for each text");
        return NULL;
    }
    PyObject *found = PyList_New(texts);
    for (size i = 0; found && i < texts; i++) {
        PyObject *one =
            comparison(PyList_GetItem(sources, i), PyList_GetItem(references, i), (PyTypeObject *)type);
        if (one == NULL || PyList_SetItem(found, i, one) < 0) {
            Py_CLEAR(found);
        }
    }
    return found;
}

/* --- the module ------------------------------------------------------------------------------------------------------ */

static PyObject *
words_count(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSsize_t(((Words *)self)->count);
}

static PyObject *
words_types(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSsize_t(((Words *)self)->types);
}

static PyMethodDef words_methods[] = {
    {"union", words_union, METH_O,
     "Return how many distinct words are in the union of the LCSs with the sentences of a reference."},
    {"comparisons", words_comparisons, METH_VARARGS | METH_CLASS,
     "Return for each text the size of that union with its reference, its distinct words, and its words."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef words_values[] = {
    {"count", words_count, NULL, "How many words there are.", NULL},
    {"types", words_types, NULL, "How many distinct words there are.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot words_slots[] = {
    {Py_tp_doc, "The words of a text in sentences, made ready to be compared many times."},
    {Py_tp_new, words_new},
    {Py_tp_dealloc, words_dealloc},
    {Py_tp_methods, words_methods},
    {Py_tp_getset, words_values},
    {0, NULL},
};

static PyType_Spec words_spec = {
    .name = "scoresheet.metrics.text._kernel.Words",
    .basicsize = sizeof(Words),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = words_slots,
};

/* Take the key of the process from the hash of two texts, which Python draws anew for each. */
static int
draw_key(void)
{
    uint64_t *keys[] = {&key0, &key1};
    const char *texts[] = {"the first key of the kernel", "the second key of the kernel"};
    for (int i = 0; i < 2; i++) {
        PyObject *text = PyUnicode_FromString(texts[i]);
        Py_hash_t hash = text ? PyObject_Hash(text) : -1;
        Py_XDECREF(text);
        if (hash == -1) {
            return -1;
        }
        *keys[i] = (uint64_t)hash;
    }
    return 0;
}

static int
fill_module(PyObject *module)
{
    fill_classes();
    if (draw_key() < 0) {
        return -1;
    }
    PyObject *type = PyType_FromModuleAndSpec(module, &words_spec, NULL);
    if (type == NULL) {
        return -1;
    }
    int added = PyModule_AddObjectRef(module, "Words", type);
    Py_DECREF(type);
    if (added < 0 || PyModule_AddIntConstant(module, "REVISION", REVISION) < 0) {
        return -1;
    }
    return PyModule_AddStringConstant(module, "SOURCE", KERNEL_SOURCE);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, fill_module},
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "scoresheet.metrics.text._kernel",
    .m_doc = "The compiled twin of words.py and lcs.py: the same bits, sooner.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC
PyInit__kernel(void)
{
    return PyModuleDef_Init(&module_definition);
}
