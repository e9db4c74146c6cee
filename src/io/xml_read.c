// xml_read.c -- an XML document in memory, element by element, by the reader of libxml2.
//
// libxml2 is loaded when a document is opened: with the libraries it brings along it
// would add two thirds to the instructions of every start.

#include "io/xml_read.h"

#include "base/names.h"
#include "base/shared_library.h"

#include <libxml/xmlreader.h>
#include <stddef.h>
#include <string.h>

// The functions of libxml2 that are called.
typedef struct libxml {
    xmlTextReaderPtr (*open)(xmlInputReadCallback read,
                             xmlInputCloseCallback close,
                             void *context,
                             const char *url,
                             const char *encoding,
                             int options);
    void (*free)(xmlTextReaderPtr reader);
    int (*read)(xmlTextReaderPtr reader);
    int (*node_type)(xmlTextReaderPtr reader);
    int (*depth)(xmlTextReaderPtr reader);
    int (*is_empty)(xmlTextReaderPtr reader);
    const xmlChar *(*name)(xmlTextReaderPtr reader);
    const xmlChar *(*local_name)(xmlTextReaderPtr reader);
    const xmlChar *(*name_space)(xmlTextReaderPtr reader);
    const xmlChar *(*value)(xmlTextReaderPtr reader);
    int (*first_attribute)(xmlTextReaderPtr reader);
    int (*next_attribute)(xmlTextReaderPtr reader);
    int (*element)(xmlTextReaderPtr reader);
    xmlNodePtr (*node)(xmlTextReaderPtr reader);
    long (*node_line)(const xmlNode *node);
    void (*set_error)(xmlTextReaderPtr reader, xmlTextReaderErrorFunc f, void *arg);
    int (*error_line)(xmlTextReaderLocatorPtr locator);
} libxml;

#define FUNCTION(name, member)          \
    {                                   \
#        name, offsetof(libxml, member) \
    }
static const opn_i_library_function functions[] = {
        FUNCTION(xmlReaderForIO, open),
        FUNCTION(xmlFreeTextReader, free),
        FUNCTION(xmlTextReaderRead, read),
        FUNCTION(xmlTextReaderNodeType, node_type),
        FUNCTION(xmlTextReaderDepth, depth),
        FUNCTION(xmlTextReaderIsEmptyElement, is_empty),
        FUNCTION(xmlTextReaderConstName, name),
        FUNCTION(xmlTextReaderConstLocalName, local_name),
        FUNCTION(xmlTextReaderConstNamespaceUri, name_space),
        FUNCTION(xmlTextReaderConstValue, value),
        FUNCTION(xmlTextReaderMoveToFirstAttribute, first_attribute),
        FUNCTION(xmlTextReaderMoveToNextAttribute, next_attribute),
        FUNCTION(xmlTextReaderMoveToElement, element),
        FUNCTION(xmlTextReaderCurrentNode, node),
        FUNCTION(xmlGetLineNo, node_line),
        FUNCTION(xmlTextReaderSetErrorHandler, set_error),
        FUNCTION(xmlTextReaderLocatorLineNumber, error_line),
};
#undef FUNCTION

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };
_Static_assert(sizeof(libxml) == N_FUNCTIONS * sizeof(void *),
               "every function is looked up");

enum { ERROR_ROOM = 160, EVENTS_A_TICK = 1 << 16 };

struct opn_i_xml {
    libxml lib;
    void *handle; // of the loaded library
    const char *path;
    opn_i_bytes bytes;
    size_t n_read;
    xmlTextReaderPtr reader;
    opn_i_names attributes; // of the current element: names and values in turn
    bool ends_next;         // the current element has no content, and its end is due
    char error[ERROR_ROOM]; // the first, or ""
    int error_line;
    int64_t n_events;
};

// ---- what libxml2 calls --------------------------------------------------------------

static int read_bytes(void *context, char *buffer, int room)
{
    opn_i_xml *xml = context;
    const size_t n_left = xml->bytes.n - xml->n_read;
    const size_t n = n_left < (size_t)room ? n_left : (size_t)room;
    memcpy(buffer, xml->bytes.data + xml->n_read, n);
    xml->n_read += n;
    return (int)n;
}

static int close_bytes(void *context)
{
    (void)context; // they belong to the document
    return 0;
}

// Keeps the first error, in one line.
static void keep_error(void *context,
                       const char *message,
                       xmlParserSeverities severity,
                       xmlTextReaderLocatorPtr locator)
{
    opn_i_xml *xml = context;
    const bool is_warning = severity == XML_PARSER_SEVERITY_WARNING ||
                            severity == XML_PARSER_SEVERITY_VALIDITY_WARNING;
    if (is_warning || xml->error[0] != 0 || message == NULL)
        return;
    const size_t n = strcspn(message, "\r\n");
    memcpy(xml->error, message, n < ERROR_ROOM ? n : ERROR_ROOM - 1);
    xml->error_line = xml->lib.error_line(locator);
}

// ---- opening -------------------------------------------------------------------------

opn_status
opn_i_xml_open(opn_ctx *ctx, const char *name, opn_i_bytes *take, opn_i_xml **out)
{
    static const char *const files[] = {"libxml2.so.2", "libxml2.so.16",
                                        "libxml2.2.dylib", NULL};
    static const opn_i_library library = {files, "reading XML needs libxml2",
                                          "libxml2 in Debian", functions, N_FUNCTIONS};
    // Entities are not put in for their names, and no document type is fetched.
    const int options = XML_PARSE_NONET | XML_PARSE_BIG_LINES;
    opn_status status = OPN_OK;
    opn_i_xml *xml = NULL;
    OPN_TRY_NEW(ctx, xml, 1);
    xml->path = name;
    xml->bytes = *take;
    *take = (opn_i_bytes){0};
    OPN_TRY(opn_i_library_open(ctx, &library, &xml->lib, &xml->handle));
    xml->reader = xml->lib.open(read_bytes, close_bytes, xml, NULL, NULL, options);
    OPN_FAIL_IF(ctx, xml->reader == NULL, OPN_ERR_NOMEM, "%s: out of memory", name);
    xml->lib.set_error(xml->reader, keep_error, xml);
    *out = xml;
    xml = NULL;
cleanup:
    opn_i_xml_close(ctx, xml);
    opn_i_bytes_release(ctx, take);
    return status;
}

void opn_i_xml_close(opn_ctx *ctx, opn_i_xml *xml)
{
    if (xml == NULL)
        return;
    if (xml->reader != NULL)
        xml->lib.free(xml->reader);
    opn_i_library_close(xml->handle);
    opn_i_names_deinit(&ctx->alloc, &xml->attributes);
    opn_i_bytes_release(ctx, &xml->bytes);
    opn_i_release(&ctx->alloc, xml);
}

// ---- events --------------------------------------------------------------------------

static opn_status copy_attributes(opn_ctx *ctx, opn_i_xml *xml)
{
    opn_status status = OPN_OK;
    const libxml *lib = &xml->lib;
    xml->attributes.n = 0;
    xml->attributes.n_text = 0;
    for (int has = lib->first_attribute(xml->reader); has == 1;
         has = lib->next_attribute(xml->reader)) {
        const char *name = (const char *)lib->name(xml->reader);
        const char *value = (const char *)lib->value(xml->reader);
        OPN_FAIL_IF(ctx, name == NULL, OPN_ERR_NOMEM, "%s: out of memory", xml->path);
        value = value == NULL ? "" : value;
        OPN_TRY(opn_i_names_add(ctx, &xml->attributes, name, strlen(name)));
        OPN_TRY(opn_i_names_add(ctx, &xml->attributes, value, strlen(value)));
    }
    (void)lib->element(xml->reader);
cleanup:
    return status;
}

// A document type may be named, but must not declare anything: entities that stand for
// others can grow without bound, or stand for files.
static opn_status check_document_type(opn_ctx *ctx, const opn_i_xml *xml)
{
    opn_status status = OPN_OK;
    const xmlNode *node = xml->lib.node(xml->reader);
    OPN_FAIL_IF(ctx, node != NULL && node->children != NULL, OPN_ERR_FORMAT,
                "%s:%zu: the document type declares entities or elements, which are "
                "refused; leave out what is between [ and ]",
                xml->path, opn_i_xml_line(xml));
cleanup:
    return status;
}

static opn_status fail_to_read(opn_ctx *ctx, const opn_i_xml *xml)
{
    opn_i_set_error(ctx, "%s:%d: is not well-formed XML: %s", xml->path,
                    xml->error_line > 0 ? xml->error_line : 1,
                    xml->error[0] != 0 ? xml->error : "it cannot be parsed");
    return OPN_ERR_FORMAT;
}

// Reads the next node; *event is set, and *is_event tells whether it is one.
static opn_status
read_node(opn_ctx *ctx, opn_i_xml *xml, opn_i_xml_event *event, bool *is_event)
{
    opn_status status = OPN_OK;
    const int has_node = xml->lib.read(xml->reader);
    if (has_node < 0 || xml->error[0] != 0)
        OPN_TRY(fail_to_read(ctx, xml));
    *is_event = true;
    *event = OPN_XML_DONE;
    if (has_node == 0)
        goto cleanup;
    const int type = xml->lib.node_type(xml->reader);
    if (type == XML_READER_TYPE_ELEMENT) {
        *event = OPN_XML_START;
        xml->ends_next = xml->lib.is_empty(xml->reader) == 1;
        OPN_TRY(copy_attributes(ctx, xml));
    } else if (type == XML_READER_TYPE_END_ELEMENT) {
        *event = OPN_XML_END;
    } else if (type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA ||
               type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE) {
        *event = OPN_XML_TEXT;
    } else {
        *is_event = false;
        OPN_FAIL_IF(ctx, type == XML_READER_TYPE_ENTITY_REFERENCE, OPN_ERR_FORMAT,
                    "%s:%zu: entities of a document are refused", xml->path,
                    opn_i_xml_line(xml));
        if (type == XML_READER_TYPE_DOCUMENT_TYPE)
            OPN_TRY(check_document_type(ctx, xml));
    }
cleanup:
    return status;
}

opn_status opn_i_xml_next(opn_ctx *ctx, opn_i_xml *xml, opn_i_xml_event *event)
{
    opn_status status = OPN_OK;
    bool is_event = false;
    if (xml->ends_next) {
        xml->ends_next = false;
        *event = OPN_XML_END;
        return OPN_OK;
    }
    while (!is_event)
        OPN_TRY(read_node(ctx, xml, event, &is_event));
    if (++xml->n_events % EVENTS_A_TICK == 0)
        OPN_TRY(opn_i_progress(ctx, "reading XML", (int64_t)xml->n_read,
                               (int64_t)xml->bytes.n, "bytes"));
cleanup:
    return status;
}

// ---- the current element -------------------------------------------------------------

static const char *text_of(const xmlChar *text)
{
    return text == NULL ? "" : (const char *)text;
}

const char *opn_i_xml_name(const opn_i_xml *xml)
{
    return text_of(xml->lib.local_name(xml->reader));
}

const char *opn_i_xml_namespace(const opn_i_xml *xml)
{
    return text_of(xml->lib.name_space(xml->reader));
}

int opn_i_xml_depth(const opn_i_xml *xml)
{
    return xml->lib.depth(xml->reader);
}

size_t opn_i_xml_line(const opn_i_xml *xml)
{
    const xmlNode *node = xml->lib.node(xml->reader);
    const long line = node == NULL ? 0 : xml->lib.node_line(node);
    return line > 0 ? (size_t)line : 1;
}

const char *opn_i_xml_attribute(const opn_i_xml *xml, const char *name)
{
    for (int64_t a = 0; a + 1 < xml->attributes.n; a += 2)
        if (strcmp(opn_i_names_at(&xml->attributes, a), name) == 0)
            return opn_i_names_at(&xml->attributes, a + 1);
    return NULL;
}

const char *opn_i_xml_text(const opn_i_xml *xml)
{
    return text_of(xml->lib.value(xml->reader));
}
