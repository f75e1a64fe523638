/* The cells of a worksheet whose XML is as programs write it: read in one pass, with every doubt left to others.
 *
 * What is accepted is a small part of XML: rows and cells in their order, each at its own address within what a
 * worksheet may have; values that are numbers, truth values or texts; nothing between the tags. All of that is
 * well-formed, holds no formula and no error, and means the same to every reader. Whatever else is met, the answer is
 * None, and plain_sheets.py leaves the file to the guards and to calamine, which are the twin of this.
 *
 * Only the limited API of Python 3.11 is used, so that one file serves every later version. The GIL is held throughout.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#ifndef SHEETS_SOURCE
#define SHEETS_SOURCE "unknown" /* the build says which source this is */
#endif
#define REVISION 1 /* of what plain_sheets.py calls; the same number stands there */

#define MOST_ROWS 1048576 /* of a worksheet, by the format */
#define MOST_COLUMNS 16384
#define MOST_ATTRIBUTES 16 /* of a row */
#define LONGEST_NUMBER 32

typedef Py_ssize_t size;
typedef enum { FAILED = -1, ODD = 0, PLAIN = 1 } Found; /* an exception is set; not for us; read */

/* --- texts ------------------------------------------------------------------------------------------------------------ */

/* The bytes that end a run of ordinary ones: markup, characters that XML has not, and beginnings of what may be escaped.
 * The zero that follows the bytes of any object of Python's is among them, so that no run leaves its buffer. */
static unsigned char ends_run[256];

static void
fill_table(void)
{
    for (int byte = 0; byte < 0x20; byte++) {
        ends_run[byte] = byte != '\t' && byte != '\n';
    }
    ends_run['<'] = ends_run['>'] = ends_run['&'] = ends_run['_'] = ends_run[0xEF] = 1;
}

static int
skip(const char **at, const char *word)
{
    size length = (size)strlen(word);
    if (strncmp(*at, word, (size_t)length) != 0) { /* a zero ends what is read */
        return 0;
    }
    *at += length;
    return 1;
}

/* Return the character that a reference at & stands for, and go past it; 0 if it is none of the usual five. */
static char
referred(const char **at)
{
    static const struct {
        const char *written;
        char meant;
    } known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (skip(at, known[i].written)) {
            return known[i].meant;
        }
    }
    return 0;
}

static PyObject *
decoded(const char *bytes, size length)
{
    PyObject *text = PyUnicode_DecodeUTF8(bytes, length, "strict");
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
    }
    return text;
}

static PyObject *
decoded_references(const char *bytes, size length)
{
    char *meant = malloc((size_t)length + 1);
    if (meant == NULL) {
        return PyErr_NoMemory();
    }
    size used = 0;
    for (const char *at = bytes, *end = bytes + length; at < end;) {
        meant[used++] = *at == '&' ? referred(&at) : *at++;
    }
    PyObject *text = decoded(meant, used);
    free(meant);
    return text;
}

static int
is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n';
}

/* Read <t>…</t>, and give a new reference to the text. */
static Found
read_text(const char **place, PyObject **text)
{
    const char *at = *place;
    int preserved = 0, references = 0;
    if (!skip(&at, "<t>")) {
        if (!skip(&at, "<t xml:space=\"preserve\">")) {
            return ODD;
        }
        preserved = 1;
    }
    const char *start = at;
    for (;;) {
        while (!ends_run[(unsigned char)*at]) {
            at++;
        }
        if (*at == '<') {
            break;
        }
        if (*at == '&') {
            if (!referred(&at)) {
                return ODD;
            }
            references = 1;
        } else if (*at == '_' && at[1] != 'x') {
            at++; /* but _x0041_ is an A */
        } else if ((unsigned char)*at == 0xEF && !(at[1] == '\xBF' && (at[2] == '\xBE' || at[2] == '\xBF'))) {
            at++; /* but U+FFFE and U+FFFF are no characters */
        } else {
            return ODD;
        }
    }
    size length = at - start;
    if (!preserved && length && (is_blank(*start) || is_blank(at[-1]))) {
        return ODD;
    }
    if (!skip(&at, "</t>")) {
        return ODD;
    }
    *text = references ? decoded_references(start, length) : decoded(start, length);
    if (*text == NULL) {
        return PyErr_Occurred() ? FAILED : ODD;
    }
    *place = at;
    return PLAIN;
}

static PyObject *
shared_texts(PyObject *Py_UNUSED(module), PyObject *xml)
{
    char *bytes;
    size length;
    if (PyBytes_AsStringAndSize(xml, &bytes, &length) < 0) {
        return NULL;
    }
    const char *at = strstr(bytes, "<si>"); /* of bytes with a zero among them, what is before it */
    if (at == NULL) {
        Py_RETURN_NONE;
    }
    size head = at - bytes;
    PyObject *texts = PyList_New(0), *text;
    Found found = texts == NULL ? FAILED : PLAIN;
    while (found == PLAIN && skip(&at, "<si>")) {
        found = read_text(&at, &text);
        if (found == PLAIN) {
            found = PyList_Append(texts, text) < 0 ? FAILED : skip(&at, "</si>") ? PLAIN : ODD;
            Py_DECREF(text);
        }
    }
    PyObject *answer = found == PLAIN ? Py_BuildValue("(nnO)", head, (size)(at - bytes), texts) : NULL;
    Py_XDECREF(texts);
    if (found == ODD) {
        Py_RETURN_NONE;
    }
    return answer;
}

/* --- attributes ------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    size name_length;
    const char *value;
    size length;
} Attribute;

/* Read ` name="value"`; ODD where none follows. */
static Found
read_attribute(const char **place, Attribute *attribute)
{
    const char *at = *place;
    if (*at++ != ' ') {
        return ODD;
    }
    attribute->name = at;
    while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (at > attribute->name && *at >= '0' && *at <= ':')) {
        at++; /* a colon comes after the digits */
    }
    attribute->name_length = at - attribute->name;
    if (attribute->name_length == 0 || at[0] != '=' || at[1] != '"') {
        return ODD;
    }
    attribute->value = at += 2;
    while (*at >= ' ' && *at <= '~' && *at != '"' && *at != '<' && *at != '>' && *at != '&') {
        at++;
    }
    attribute->length = at - attribute->value;
    if (*at != '"') {
        return ODD;
    }
    *place = at + 1;
    return PLAIN;
}

/* Return a number of at most so much, written without leading zeros; -1 if it is none. */
static long
whole_number(const char *digits, size length, long most)
{
    long number = 0;
    if (length == 0 || length > 9 || (length > 1 && *digits == '0')) {
        return -1;
    }
    for (size i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return -1;
        }
        number = number * 10 + (digits[i] - '0');
    }
    return number <= most ? number : -1;
}

/* --- rows and cells --------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject *texts;          /* that cells give the number of */
    const char *styles;       /* for each style, 1 where a number in it is no date */
    size styles_count;
    PyObject *as_text;        /* of a number that is not written as it is shown */
    PyObject *empty;
    PyObject *truth[2];
    PyObject *numbers;        /* of the rows that have a text */
    size rows;
    PyObject *columns;        /* their texts */
    long widest;              /* column that a cell with a value stands in, from 1 */
    long last_row;
    long last_column;         /* also of cells without a value */
} Sheet;

/* Put a text at a column of the row that is being read. */
static int
put(Sheet *sheet, long row, int *is_row_there, long column, PyObject *text)
{
    if (column > sheet->widest) {
        sheet->widest = column;
    }
    if (PyUnicode_GetLength(text) == 0) {
        return 0;
    }
    if (!*is_row_there) {
        PyObject *number = PyLong_FromLong(row);
        if (number == NULL || PyList_Append(sheet->numbers, number) < 0) {
            Py_XDECREF(number);
            return -1;
        }
        Py_DECREF(number);
        sheet->rows++;
        *is_row_there = 1;
    }
    while (PyList_Size(sheet->columns) < column) {
        PyObject *cells = PyList_New(0);
        if (cells == NULL || PyList_Append(sheet->columns, cells) < 0) {
            Py_XDECREF(cells);
            return -1;
        }
        Py_DECREF(cells);
    }
    PyObject *cells = PyList_GetItem(sheet->columns, column - 1);
    for (size missing = sheet->rows - 1 - PyList_Size(cells); missing > 0; missing--) {
        if (PyList_Append(cells, sheet->empty) < 0) {
            return -1;
        }
    }
    return PyList_Append(cells, text);
}

/* Give a new reference to what a number is shown as. */
static Found
read_number(Sheet *sheet, const char *written, size length, PyObject **text)
{
    char copy[LONGEST_NUMBER + 1];
    const char *at = written, *end = written + length;
    if (length == 0 || length > LONGEST_NUMBER) {
        return ODD;
    }
    at += *at == '-';
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    if (at == digits) {
        return ODD;
    }
    if (at == end && *digits != '0' && end - digits <= 15) { /* it is shown as it is written */
        *text = PyUnicode_DecodeUTF8(written, length, "strict");
        return *text == NULL ? FAILED : PLAIN;
    }
    if (at < end && *at == '.') {
        const char *decimals = ++at;
        while (at < end && *at >= '0' && *at <= '9') {
            at++;
        }
        if (at == decimals) {
            return ODD;
        }
    }
    if (at < end && (*at == 'E' || *at == 'e')) {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        const char *exponent = at;
        while (at < end && *at >= '0' && *at <= '9') {
            at++;
        }
        if (at == exponent || at - exponent > 2) { /* far from what is too large or small */
            return ODD;
        }
    }
    if (at != end) {
        return ODD;
    }
    memcpy(copy, written, (size_t)length);
    copy[length] = '\0';
    double number = PyOS_string_to_double(copy, NULL, NULL);
    if (number == -1.0 && PyErr_Occurred()) {
        return FAILED;
    }
    *text = PyObject_CallFunction(sheet->as_text, "d", number);
    return *text == NULL ? FAILED : PLAIN;
}

/* Read the value of a cell and the cell's end, and give a new reference to what it shows. */
static Found
read_value(Sheet *sheet, const char **place, const Attribute *type, const Attribute *style, PyObject **text)
{
    const char *at = *place;
    Found found = ODD;
    if (type->length == 9 && memcmp(type->value, "inlineStr", 9) == 0) {
        if (!skip(&at, "<is>")) {
            return ODD;
        }
        found = read_text(&at, text);
        if (found == PLAIN && !skip(&at, "</is></c>")) {
            Py_DECREF(*text);
            return ODD;
        }
        *place = at;
        return found;
    }
    if (!skip(&at, "<v>")) {
        return ODD;
    }
    const char *value = at;
    while ((*at >= '0' && *at <= '9') || *at == '-' || *at == '+' || *at == '.' || *at == 'E' || *at == 'e') {
        at++;
    }
    size length = at - value;
    if (type->length > 1 || !skip(&at, "</v></c>")) {
        return ODD;
    }
    char kind = type->length ? *type->value : 'n';
    if (kind == 's') {
        long most = (long)PyList_Size(sheet->texts) - 1;
        long number = whole_number(value, length, most);
        if (number < 0) {
            return ODD;
        }
        *text = PyList_GetItem(sheet->texts, number);
        Py_INCREF(*text);
        found = PLAIN;
    } else if (kind == 'b') {
        if (length != 1 || (*value != '0' && *value != '1')) {
            return ODD;
        }
        *text = sheet->truth[*value - '0'];
        Py_INCREF(*text);
        found = PLAIN;
    } else if (kind == 'n') {
        if (style->name != NULL) {
            long number = whole_number(style->value, style->length, (long)sheet->styles_count - 1);
            if (number < 0 || sheet->styles[number] != 1) {
                return ODD;
            }
        }
        found = read_number(sheet, value, length, text);
    }
    *place = at;
    return found;
}

/* Read a cell behind its <c, which stands in this row and right of the last. */
static Found
read_cell(Sheet *sheet, const char **place, long row, int *is_row_there, long *last)
{
    const char *at = *place;
    Attribute address = {0}, style = {0}, type = {0}, attribute;
    while (*at == ' ') {
        if (read_attribute(&at, &attribute) != PLAIN || attribute.name_length != 1) {
            return ODD;
        }
        Attribute *own = *attribute.name == 'r' ? &address : *attribute.name == 's' ? &style : *attribute.name == 't' ? &type : NULL;
        if (own == NULL || own->name != NULL) {
            return ODD;
        }
        *own = attribute;
    }
    long column = 0;
    size letters = 0;
    while (letters < address.length && letters < 3 && address.value[letters] >= 'A' && address.value[letters] <= 'Z') {
        column = column * 26 + (address.value[letters++] - 'A' + 1);
    }
    if (whole_number(address.value + letters, address.length - letters, MOST_ROWS) != row || column <= *last
        || column > MOST_COLUMNS) {
        return ODD;
    }
    *last = column;
    if (column > sheet->last_column) {
        sheet->last_column = column;
    }
    if (style.name != NULL && whole_number(style.value, style.length, 999999) < 0) {
        return ODD;
    }
    if (type.name == NULL && (skip(&at, "/>") || skip(&at, "></c>"))) {
        *place = at;
        return PLAIN;
    }
    if (*at++ != '>' || (type.name != NULL && type.length == 0)) {
        return ODD;
    }
    PyObject *text = NULL;
    Found found = read_value(sheet, &at, &type, &style, &text);
    if (found == PLAIN) {
        found = put(sheet, row, is_row_there, column, text) < 0 ? FAILED : PLAIN;
        Py_DECREF(text);
    }
    *place = at;
    return found;
}

/* Read a row behind its <row, and its end. */
static Found
read_row(Sheet *sheet, const char **place)
{
    const char *at = *place;
    Attribute attributes[MOST_ATTRIBUTES];
    long row = 0, last = 0;
    for (int count = 0; *at == ' '; count++) {
        if (count == MOST_ATTRIBUTES || read_attribute(&at, &attributes[count]) != PLAIN) {
            return ODD;
        }
        Attribute *own = &attributes[count];
        for (int i = 0; i < count; i++) {
            if (attributes[i].name_length == own->name_length
                && memcmp(attributes[i].name, own->name, (size_t)own->name_length) == 0) {
                return ODD; /* twice: that is no XML */
            }
        }
        if (own->name_length == 1 && *own->name == 'r') {
            row = whole_number(own->value, own->length, MOST_ROWS);
        }
    }
    if (row <= sheet->last_row) {
        return ODD;
    }
    sheet->last_row = row;
    *place = at;
    if (skip(place, "/>")) {
        return PLAIN;
    }
    if (!skip(place, ">")) {
        return ODD;
    }
    int is_row_there = 0;
    while (skip(place, "<c")) {
        Found found = read_cell(sheet, place, row, &is_row_there, &last);
        if (found != PLAIN) {
            return found;
        }
    }
    return skip(place, "</row>") ? PLAIN : ODD;
}

/* Make all columns as long as there are rows, and as many as the widest row has. */
static int
fill_up(Sheet *sheet)
{
    while (PyList_Size(sheet->columns) < sheet->widest) {
        PyObject *cells = PyList_New(0);
        if (cells == NULL || PyList_Append(sheet->columns, cells) < 0) {
            Py_XDECREF(cells);
            return -1;
        }
        Py_DECREF(cells);
    }
    for (long column = 0; column < sheet->widest; column++) {
        PyObject *cells = PyList_GetItem(sheet->columns, column);
        for (size missing = sheet->rows - PyList_Size(cells); missing > 0; missing--) {
            if (PyList_Append(cells, sheet->empty) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static Found
read_sheet(Sheet *sheet, const char **at, long long most)
{
    while (skip(at, "<row")) {
        Found found = read_row(sheet, at);
        if (found != PLAIN) {
            return found;
        }
        if ((long long)sheet->last_row * sheet->last_column > most) {
            return ODD; /* and for the guards to refuse */
        }
    }
    return fill_up(sheet) < 0 ? FAILED : PLAIN;
}

static PyObject *
worksheet(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *xml, *styles;
    Sheet sheet = {0};
    long long most;
    if (!PyArg_ParseTuple(arguments, "SO!SLO", &xml, &PyList_Type, &sheet.texts, &styles, &most, &sheet.as_text)) {
        return NULL;
    }
    const char *bytes = PyBytes_AsString(xml);
    const char *at = strstr(bytes, "<sheetData>");
    if (at == NULL) {
        Py_RETURN_NONE;
    }
    at += strlen("<sheetData>");
    size head = at - bytes;
    sheet.styles = PyBytes_AsString(styles);
    sheet.styles_count = PyBytes_Size(styles);
    sheet.empty = PyUnicode_FromString("");
    sheet.truth[0] = PyUnicode_FromString("FALSE");
    sheet.truth[1] = PyUnicode_FromString("TRUE");
    sheet.numbers = PyList_New(0);
    sheet.columns = PyList_New(0);
    Found found = FAILED;
    if (sheet.empty && sheet.truth[0] && sheet.truth[1] && sheet.numbers && sheet.columns) {
        found = read_sheet(&sheet, &at, most);
    }
    PyObject *answer = NULL;
    if (found == PLAIN) {
        answer = Py_BuildValue("(nnOO)", head, (size)(at - bytes), sheet.numbers, sheet.columns);
    } else if (found == ODD) {
        answer = Py_None;
        Py_INCREF(answer);
    }
    Py_XDECREF(sheet.empty);
    Py_XDECREF(sheet.truth[0]);
    Py_XDECREF(sheet.truth[1]);
    Py_XDECREF(sheet.numbers);
    Py_XDECREF(sheet.columns);
    return answer;
}

/* --- the module ------------------------------------------------------------------------------------------------------- */

static int
fill_module(PyObject *module)
{
    fill_table();
    if (PyModule_AddIntConstant(module, "REVISION", REVISION) < 0) {
        return -1;
    }
    return PyModule_AddStringConstant(module, "SOURCE", SHEETS_SOURCE);
}

static PyMethodDef module_functions[] = {
    {"shared_texts", shared_texts, METH_O, "Return where the texts of a workbook begin and end, and them; else None."},
    {"worksheet", worksheet, METH_VARARGS, "Return where a sheet's rows begin and end, their numbers, their columns; else None."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, fill_module},
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "scoresheet.cli.input.formats._sheets",
    .m_doc = "Plain worksheets, read in one pass.",
    .m_methods = module_functions,
    .m_slots = module_slots,
};

PyMODINIT_FUNC
PyInit__sheets(void)
{
    return PyModuleDef_Init(&module_definition);
}
