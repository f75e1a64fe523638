/* The cells of a table as rows of a worksheet's XML: the compiled twin of cells.py. It does what that does, byte for
 * byte; whatever is not plain (a text with characters that no cell holds, one that looks escaped, a number of another
 * type) it asks the same functions in Python about. And the lines of a CSV: the twin of csv_lines.py.
 *
 * A block is made column by column, as its twin does, since that gives shared strings their numbers, and written row by
 * row. Only the limited API of Python 3.11 is used, so that one file serves every later version. The GIL is held
 * throughout.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef CELLS_SOURCE
#define CELLS_SOURCE "unknown" /* the build says which source this is */
#endif
#define REVISION 2 /* of what cell_maker.py calls; the same number stands there */

typedef Py_ssize_t size;

enum Kind { EMPTY, END, IN_PLACE, NUMBER, COUNT };

typedef struct {
    unsigned char kind;
    union {
        PyObject *text; /* owned: the end of the cell, or what stands in place */
        double number;
        int64_t count;
    } is;
} Cell;

typedef struct {
    PyObject_HEAD
    size rows;
    size columns;
    Cell *cells; /* column by column */
} Block;

/* --- bytes that grow -------------------------------------------------------------------------------------------------- */

typedef struct {
    char *bytes;
    size used;
    size room;
} Buffer;

static int
make_room(Buffer *buffer, size more)
{
    if (more <= buffer->room - buffer->used) {
        return 0;
    }
    if (more > PY_SSIZE_T_MAX / 2 - buffer->used) {
        PyErr_NoMemory();
        return -1;
    }
    size room = 2 * (buffer->used + more);
    char *bytes = PyMem_Realloc(buffer->bytes, (size_t)room);
    if (bytes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    buffer->bytes = bytes;
    buffer->room = room;
    return 0;
}

/* Each of these needs room that was made before. */
static void
put(Buffer *buffer, const char *bytes, size length)
{
    memcpy(buffer->bytes + buffer->used, bytes, (size_t)length);
    buffer->used += length;
}

#define PUT(buffer, literal) put(buffer, literal, (size)sizeof(literal) - 1)

static void
put_count(Buffer *buffer, int64_t count)
{
    char digits[24];
    int at = (int)sizeof digits;
    uint64_t left = count < 0 ? (uint64_t)0 - (uint64_t)count : (uint64_t)count;
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (count < 0) {
        digits[--at] = '-';
    }
    put(buffer, digits + at, (size)sizeof digits - at);
}

/* Put a number as Python's format does. */
static int
put_number(Buffer *buffer, double number, char code, int precision, int flags)
{
    char *digits = PyOS_double_to_string(number, code, precision, flags, NULL);
    if (digits == NULL) {
        return -1;
    }
    put(buffer, digits, (size)strlen(digits)); /* at most 24 characters */
    PyMem_Free(digits);
    return 0;
}

enum { REMEMBERED = 4096 };

typedef struct {
    uint64_t number; /* its bits */
    size length;     /* 0: none */
    char digits[24];
} Shown;

/* Numbers that were written of late, in cells and in CSVs: shares of a few words repeat. */
static Shown in_cells[REMEMBERED], in_csv[REMEMBERED];

/* Put a number with sixteen digits, or with all of them. */
static int
put_score(Buffer *buffer, double number, Shown *remembered)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    Shown *known = &remembered[(bits * 0x9E3779B97F4A7C15u) >> 52];
    if (!known->length || known->number != bits) {
        size from = buffer->used;
        if (remembered == in_csv ? put_number(buffer, number, 'r', 0, Py_DTSF_ADD_DOT_0) < 0
                                 : put_number(buffer, number, 'G', 16, 0) < 0) {
            return -1;
        }
        known->number = bits;
        known->length = buffer->used - from;
        memcpy(known->digits, buffer->bytes + from, (size_t)known->length);
        return 0;
    }
    put(buffer, known->digits, known->length);
    return 0;
}

/* Put a text with what XML reserves written out; each byte may become five. */
static int
put_escaped(Buffer *buffer, const char *text, size length)
{
    if (length > (PY_SSIZE_T_MAX / 2 - 100) / 5 || make_room(buffer, 5 * length + 100) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    size from = 0;
    if (!memchr(text, '&', (size_t)length) && !memchr(text, '<', (size_t)length) && !memchr(text, '>', (size_t)length)) {
        put(buffer, text, length); /* as most are */
        return 0;
    }
    for (size at = 0; at < length; at++) {
        char c = text[at];
        if (c == '&' || c == '<' || c == '>') {
            put(buffer, text + from, at - from);
            from = at + 1;
            if (c == '&') {
                PUT(buffer, "&amp;");
            } else if (c == '<') {
                PUT(buffer, "&lt;");
            } else {
                PUT(buffer, "&gt;");
            }
        }
    }
    put(buffer, text + from, length - from);
    return 0;
}

/* --- making ----------------------------------------------------------------------------------------------------------- */

/* Return whether eight bytes are characters of ASCII that can be seen, and none of them an underline. */
static int
are_plain(const unsigned char *text)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    uint64_t bytes, lines;
    memcpy(&bytes, text, 8);
    lines = bytes ^ (ones * '_');
    /* beyond ASCII, a delete; below a space; an underline: each sets the highest bit of its byte, or of one after it */
    return !(((bytes | (bytes + ones) | (bytes - ones * 0x20) | ((lines - ones) & ~lines)) & highs));
}

/* Return whether a cell can hold every character of a text as it is; of what is rare it may say no without need. */
static int
is_plain(const unsigned char *text, size length)
{
    for (size at = 0; at < length; at++) {
        while (length - at >= 8 && are_plain(text + at)) {
            at += 8;
        }
        if (at == length) {
            break;
        }
        unsigned char c = text[at];
        if (c < 0x20) {
            if (c != '\t' && c != '\n') {
                return 0;
            }
        } else if (c == '_') {
            if (at + 1 < length && text[at + 1] == 'x') {
                return 0; /* _x0041_ would be read as A */
            }
        } else if (c >= 0x7F) {
            unsigned char next = at + 1 < length ? text[at + 1] : 0;
            if (c == 0x7F || (c == 0xC2 && next < 0xA0) || (c == 0xEF && next == 0xB7) ||
                (c == 0xBF && (next == 0xBE || next == 0xBF))) {
                return 0; /* controls, and what is no character: U+FDD0 and after, the last two of each plane */
            }
        }
    }
    return !(length >= 7 && memcmp(text, "<r>", 3) == 0 && memcmp(text + length - 4, "</r>", 4) == 0);
}

/* Ask Python for the end of a cell. */
static int
ask_end(Cell *cell, PyObject *value, PyObject *end_of)
{
    PyObject *end = PyObject_CallFunctionObjArgs(end_of, value, NULL);
    if (end == NULL) {
        return -1;
    }
    if (!PyUnicode_Check(end)) {
        Py_DECREF(end);
        PyErr_SetString(PyExc_TypeError, "the end of a cell is a str");
        return -1;
    }
    if (PyUnicode_GetLength(end) == 0) {
        Py_DECREF(end);
        return 0;
    }
    cell->kind = END;
    cell->is.text = end;
    return 0;
}

static int
read_text(Cell *cell, PyObject *value, PyObject *known, PyObject *end_of, size lengths[2])
{
    PyObject *end = PyDict_GetItemWithError(known, value); /* borrowed */
    if (end == NULL && PyErr_Occurred()) {
        return -1;
    }
    if (end != NULL && PyUnicode_Check(end)) {
        if (PyUnicode_GetLength(end)) {
            Py_INCREF(end);
            cell->kind = END;
            cell->is.text = end;
        }
        return 0;
    }
    size letters = PyUnicode_GetLength(value), length;
    if (end == NULL && letters > lengths[0] && letters <= lengths[1]) {
        const char *bytes = PyUnicode_AsUTF8AndSize(value, &length);
        if (bytes == NULL) {
            PyErr_Clear(); /* half a pair of surrogates; Python will say what becomes of it */
        } else if (is_plain((const unsigned char *)bytes, length)) {
            if (PyDict_SetItem(known, value, Py_None) < 0) {
                return -1;
            }
            Py_INCREF(value);
            cell->kind = IN_PLACE;
            cell->is.text = value;
            return 0;
        }
    }
    return ask_end(cell, value, end_of);
}

static int
read_value(Cell *cell, PyObject *value, PyObject *known, PyObject *end_of, size lengths[2])
{
    if (value == Py_None) {
        return 0;
    }
    if (PyUnicode_CheckExact(value)) {
        return read_text(cell, value, known, end_of, lengths);
    }
    if (PyFloat_Check(value)) {
        double number = PyFloat_AsDouble(value);
        if (isfinite(number)) {
            cell->kind = NUMBER;
            cell->is.number = number;
            return 0;
        }
        return isnan(number) ? 0 : ask_end(cell, value, end_of);
    }
    if (PyLong_CheckExact(value)) {
        int overflow;
        long long count = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (!overflow && count < 1000000000000000 && count > -1000000000000000) { /* all its digits are shown */
            cell->kind = COUNT;
            cell->is.count = count;
            return 0;
        }
    }
    return ask_end(cell, value, end_of);
}

static int
read_columns(Block *self, PyObject *columns, PyObject *known, PyObject *end_of, size lengths[2])
{
    for (size column = 0; column < self->columns; column++) {
        PyObject *values = PyList_GetItem(columns, column); /* borrowed */
        Cell *cells = self->cells + column * self->rows;
        for (size row = 0; row < self->rows; row++) {
            PyObject *value = PyList_GetItem(values, row); /* borrowed; NULL if Python has shortened the list */
            if (value == NULL) {
                return -1;
            }
            Py_INCREF(value);
            int read = read_value(&cells[row], value, known, end_of, lengths);
            Py_DECREF(value);
            if (read < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int
measure(PyObject *columns, size *rows)
{
    *rows = 0;
    for (size column = 0; column < PyList_Size(columns); column++) {
        PyObject *values = PyList_GetItem(columns, column);
        if (!PyList_Check(values)) {
            PyErr_SetString(PyExc_TypeError, "a column is a list of values");
            return -1;
        }
        if (column && PyList_Size(values) != *rows) {
            PyErr_SetString(PyExc_ValueError, "columns of one block are of one length");
            return -1;
        }
        *rows = PyList_Size(values);
    }
    return 0;
}

static PyObject *
block_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    PyObject *columns, *known, *end_of;
    size lengths[2], rows;
    static char *names[] = {"columns", "known", "end_of", "long", "longest", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "O!O!Onn:Block", names, &PyList_Type, &columns, &PyDict_Type,
                                     &known, &end_of, &lengths[0], &lengths[1]) ||
        measure(columns, &rows) < 0) {
        return NULL;
    }
    Block *self = (Block *)PyType_GenericAlloc(type, 0); /* all fields are zero */
    if (self == NULL) {
        return NULL;
    }
    size count = PyList_Size(columns);
    /* no overflow: each of the values is in memory, by a pointer of eight bytes, and a cell has sixteen */
    self->cells = PyMem_Calloc((size_t)(rows && count ? rows * count : 1), sizeof(Cell));
    if (self->cells == NULL) {
        PyErr_NoMemory();
        Py_DECREF(self);
        return NULL;
    }
    self->rows = rows;
    self->columns = count;
    if (read_columns(self, columns, known, end_of, lengths) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void
block_dealloc(PyObject *object)
{
    Block *self = (Block *)object;
    PyTypeObject *type = Py_TYPE(object);
    for (size i = 0; self->cells && i < self->rows * self->columns; i++) {
        if (self->cells[i].kind == END || self->cells[i].kind == IN_PLACE) {
            Py_DECREF(self->cells[i].is.text);
        }
    }
    PyMem_Free(self->cells);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* --- writing ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *head; /* before the row's number */
    size head_length;
    const char *style; /* after it */
    size style_length;
} Start;

static int
put_cell(Buffer *buffer, const Cell *cell, const Start *start, const char *number, size number_length)
{
    const char *text;
    size length;
    if (cell->kind == EMPTY) {
        return 0;
    }
    if (make_room(buffer, start->head_length + start->style_length + number_length + 150) < 0) {
        return -1;
    }
    put(buffer, start->head, start->head_length);
    put(buffer, number, number_length);
    put(buffer, start->style, start->style_length);
    switch (cell->kind) {
    case NUMBER:
        PUT(buffer, "><v>");
        if (put_score(buffer, cell->is.number, in_cells) < 0) {
            return -1;
        }
        PUT(buffer, "</v></c>");
        return 0;
    case COUNT:
        PUT(buffer, "><v>");
        put_count(buffer, cell->is.count);
        PUT(buffer, "</v></c>");
        return 0;
    case IN_PLACE:
        text = PyUnicode_AsUTF8AndSize(cell->is.text, &length);
        if (text == NULL) {
            return -1;
        }
        PUT(buffer, " t=\"inlineStr\"><is><t xml:space=\"preserve\">");
        if (put_escaped(buffer, text, length) < 0) {
            return -1;
        }
        PUT(buffer, "</t></is></c>");
        return 0;
    default:
        text = PyUnicode_AsUTF8AndSize(cell->is.text, &length);
        if (text == NULL || make_room(buffer, length) < 0) {
            return -1;
        }
        put(buffer, text, length);
        return 0;
    }
}

static int
put_row(const Block *self, Buffer *buffer, size row, int64_t number, double height, const Start *starts)
{
    if (make_room(buffer, 150) < 0) {
        return -1;
    }
    PUT(buffer, "<row r=\"");
    char digits[24];
    Buffer shown = {digits, 0, (size)sizeof digits};
    put_count(&shown, number);
    put(buffer, digits, shown.used);
    if (height != 0) {
        PUT(buffer, "\" ht=\"");
        if (put_number(buffer, height, 'g', 6, 0) < 0) {
            return -1;
        }
        PUT(buffer, "\" customHeight=\"1\">");
    } else {
        PUT(buffer, "\">");
    }
    for (size column = 0; column < self->columns; column++) {
        if (put_cell(buffer, &self->cells[column * self->rows + row], &starts[column], digits, shown.used) < 0) {
            return -1;
        }
    }
    if (make_room(buffer, 6) < 0) {
        return -1;
    }
    PUT(buffer, "</row>");
    return 0;
}

/* Look up what stands before and after the row's number in each cell; the bytes stay those of the strings. */
static int
read_starts(const Block *self, PyObject *pairs, Start *starts)
{
    for (size column = 0; column < self->columns; column++) {
        PyObject *pair = PyList_GetItem(pairs, column); /* borrowed */
        PyObject *head, *style;
        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "UU", &head, &style)) {
            PyErr_SetString(PyExc_TypeError, "a column starts with a pair of str");
            return -1;
        }
        Start *start = &starts[column];
        start->head = PyUnicode_AsUTF8AndSize(head, &start->head_length);
        start->style = start->head ? PyUnicode_AsUTF8AndSize(style, &start->style_length) : NULL;
        if (start->style == NULL) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
block_xml(PyObject *object, PyObject *arguments)
{
    Block *self = (Block *)object;
    PyObject *pairs, *heights, *made = NULL;
    long long first;
    if (!PyArg_ParseTuple(arguments, "LO!O!:xml", &first, &PyList_Type, &pairs, &PyList_Type, &heights)) {
        return NULL;
    }
    if (PyList_Size(pairs) != self->columns || PyList_Size(heights) != self->rows) {
        PyErr_SetString(PyExc_ValueError, "a start for each column, and a height for each row");
        return NULL;
    }
    Buffer buffer = {NULL, 0, 0};
    Start *starts = PyMem_Calloc((size_t)self->columns + 1, sizeof *starts);
    if (starts == NULL) {
        return PyErr_NoMemory();
    }
    int failed = read_starts(self, pairs, starts) < 0 || make_room(&buffer, 1) < 0;
    for (size row = 0; !failed && row < self->rows; row++) {
        double height = PyFloat_AsDouble(PyList_GetItem(heights, row));
        failed = (height == -1.0 && PyErr_Occurred()) || put_row(self, &buffer, row, first + row, height, starts) < 0;
    }
    if (!failed) {
        made = PyBytes_FromStringAndSize(buffer.bytes, buffer.used);
    }
    PyMem_Free(starts);
    PyMem_Free(buffer.bytes);
    return made;
}

/* --- how many lines the texts of a column take ------------------------------------------------------------------------ */

/* Raise each row's number of lines to what this column's texts take; what is not plain ASCII in one line, Python says. */
static PyObject *
raise_lines(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *tallest, *values, *lines;
    double width, narrow;
    long most;
    if (!PyArg_ParseTuple(arguments, "O!O!dldO:raise_lines", &PyList_Type, &tallest, &PyList_Type, &values, &width,
                          &most, &narrow, &lines)) {
        return NULL;
    }
    size rows = PyList_Size(values);
    if (PyList_Size(tallest) != rows) {
        PyErr_SetString(PyExc_ValueError, "a number of lines for each value");
        return NULL;
    }
    for (size row = 0; row < rows; row++) {
        PyObject *value = PyList_GetItem(values, row), *before = PyList_GetItem(tallest, row); /* borrowed */
        if (value == NULL || before == NULL) {
            return NULL;
        }
        if (!PyUnicode_Check(value)) {
            continue;
        }
        size letters = PyUnicode_GetLength(value), length;
        if (letters == 0) {
            continue;
        }
        long taken, least = PyLong_AsLong(before);
        if (least == -1 && PyErr_Occurred()) {
            return NULL;
        }
        if (least >= most) {
            continue; /* no text takes more */
        }
        const char *bytes = PyUnicode_AsUTF8AndSize(value, &length);
        if (bytes == NULL) {
            PyErr_Clear();
        }
        if (bytes != NULL && length == letters && memchr(bytes, '\n', (size_t)length) == NULL) {
            double wanted = (double)letters * 2 <= width ? 1 : ceil(narrow * (double)letters / width);
            taken = wanted > (double)most ? most : (long)wanted;
        } else {
            PyObject *said = PyObject_CallFunction(lines, "Od", value, width);
            taken = said ? PyLong_AsLong(said) : -1;
            Py_XDECREF(said);
            if (taken == -1 && PyErr_Occurred()) {
                return NULL;
            }
        }
        if (taken > least) {
            PyObject *count = PyLong_FromLong(taken);
            if (count == NULL || PyList_SetItem(tallest, row, count) < 0) { /* takes the reference */
                return NULL;
            }
        }
    }
    Py_RETURN_NONE;
}

/* --- lines of a CSV --------------------------------------------------------------------------------------------------- */

/* Put a text as a field, in quotes where it needs them; return 1, 0 if it is not plain, -1 on an error. */
static int
put_text_field(Buffer *buffer, const char *text, size length)
{
    size quotes = 0;
    int quoted = 0;
    for (size at = 0; at < length; at++) {
        char c = text[at];
        if (c == '\r') {
            return 0; /* the standard library has quotes around it or not, by its version */
        }
        quoted |= c == ',' || c == '"' || c == '\n';
        quotes += c == '"';
    }
    if (length > PY_SSIZE_T_MAX / 4 || make_room(buffer, length + quotes + 50) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    if (!quoted) {
        put(buffer, text, length);
        return 1;
    }
    PUT(buffer, "\"");
    for (size at = 0; at < length; at++) {
        if (text[at] == '"') {
            PUT(buffer, "\"");
        }
        buffer->bytes[buffer->used++] = text[at];
    }
    PUT(buffer, "\"");
    return 1;
}

/* Put a field; return 1, 0 if it is not plain, -1 on an error. */
static int
put_field(Buffer *buffer, PyObject *value)
{
    if (make_room(buffer, 50) < 0) {
        return -1;
    }
    if (value == Py_None) {
        return 1;
    }
    if (PyUnicode_CheckExact(value)) {
        size length;
        const char *text = PyUnicode_AsUTF8AndSize(value, &length);
        if (text == NULL) {
            PyErr_Clear(); /* half a pair of surrogates */
            return 0;
        }
        return put_text_field(buffer, text, length);
    }
    if (PyFloat_CheckExact(value)) {
        return put_score(buffer, PyFloat_AsDouble(value), in_csv) < 0 ? -1 : 1;
    }
    if (PyLong_CheckExact(value)) {
        int overflow;
        long long count = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (!overflow) {
            put_count(buffer, count);
            return 1;
        }
    }
    return 0;
}

/* Return the lines of some rows, given as columns; None where a field is not plain. */
static PyObject *
csv_lines(PyObject *Py_UNUSED(module), PyObject *columns)
{
    size rows;
    if (!PyList_Check(columns)) {
        PyErr_SetString(PyExc_TypeError, "columns are a list of lists");
        return NULL;
    }
    if (measure(columns, &rows) < 0) {
        return NULL;
    }
    size count = PyList_Size(columns);
    Buffer buffer = {NULL, 0, 0};
    int plain = make_room(&buffer, 1) < 0 ? -1 : 1;
    for (size row = 0; plain > 0 && row < rows; row++) {
        for (size column = 0; plain > 0 && column < count; column++) {
            plain = put_field(&buffer, PyList_GetItem(PyList_GetItem(columns, column), row)); /* borrowed */
            if (plain > 0) {
                buffer.bytes[buffer.used++] = column + 1 < count ? ',' : '\n'; /* there is room for it */
            }
        }
    }
    PyObject *made = NULL;
    if (plain > 0) {
        made = PyBytes_FromStringAndSize(buffer.bytes, buffer.used);
    } else if (plain == 0) {
        made = Py_NewRef(Py_None);
    }
    PyMem_Free(buffer.bytes);
    return made;
}

/* --- the module ------------------------------------------------------------------------------------------------------- */

static PyMethodDef block_methods[] = {
    {"xml", block_xml, METH_VARARGS, "Return the rows in XML, numbered from the first on."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot block_slots[] = {
    {Py_tp_doc, "The cells of some rows of a table."},
    {Py_tp_new, block_new},
    {Py_tp_dealloc, block_dealloc},
    {Py_tp_methods, block_methods},
    {0, NULL},
};

static PyType_Spec block_spec = {
    .name = "scoresheet.cli.write._cells.Block",
    .basicsize = sizeof(Block),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = block_slots,
};

static int
fill_module(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &block_spec, NULL);
    if (type == NULL) {
        return -1;
    }
    int added = PyModule_AddObjectRef(module, "Block", type);
    Py_DECREF(type);
    if (added < 0 || PyModule_AddIntConstant(module, "REVISION", REVISION) < 0) {
        return -1;
    }
    return PyModule_AddStringConstant(module, "SOURCE", CELLS_SOURCE);
}

static PyMethodDef module_functions[] = {
    {"raise_lines", raise_lines, METH_VARARGS, "Raise each row's number of lines to what a column's texts take."},
    {"csv_lines", csv_lines, METH_O, "Return the lines of a CSV, or None where a field is not plain."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, fill_module},
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "scoresheet.cli.write._cells",
    .m_doc = "The compiled twin of cells.py: the same bytes, sooner.",
    .m_methods = module_functions,
    .m_slots = module_slots,
};

PyMODINIT_FUNC
PyInit__cells(void)
{
    return PyModuleDef_Init(&module_definition);
}
