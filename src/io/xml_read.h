// xml_read.h -- an XML document in memory, element by element.

#ifndef OPN_XML_READ_H
#define OPN_XML_READ_H

#include "base/context.h"
#include "io/bytes.h"

typedef enum opn_i_xml_event {
    OPN_XML_START, // of an element
    OPN_XML_END,   // of an element; also of one without content
    OPN_XML_TEXT,  // a part of the text between tags
    OPN_XML_DONE   // the document is over
} opn_i_xml_event;

typedef struct opn_i_xml opn_i_xml;

// Opens `take`; `name` is borrowed for messages. The bytes are consumed even on failure.
// Nothing outside of the document is ever read, and one that declares entities is
// refused. Errors: UNSUPPORTED (libxml2 cannot be loaded), NOMEM.
OPN_NODISCARD opn_status opn_i_xml_open(opn_ctx *ctx,
                                        const char *name,
                                        opn_i_bytes *take,
                                        opn_i_xml **out);

// Reads on. Comments and processing instructions are skipped.
// Errors: FORMAT (not well-formed, nested too deeply, entities), NOMEM, INTERRUPTED.
OPN_NODISCARD opn_status opn_i_xml_next(opn_ctx *ctx,
                                        opn_i_xml *xml,
                                        opn_i_xml_event *event);

// The element that started or ended: its name without prefix, its namespace or "", how
// many elements it is in, and its line. Borrowed until the next event.
const char *opn_i_xml_name(const opn_i_xml *xml);
const char *opn_i_xml_namespace(const opn_i_xml *xml);
int opn_i_xml_depth(const opn_i_xml *xml);
size_t opn_i_xml_line(const opn_i_xml *xml);

// An attribute of the element that started; NULL if it has none of that name. Borrowed
// until the next element starts.
const char *opn_i_xml_attribute(const opn_i_xml *xml, const char *name);

// The text. Borrowed until the next event.
const char *opn_i_xml_text(const opn_i_xml *xml);

void opn_i_xml_close(opn_ctx *ctx, opn_i_xml *xml); // accepts NULL

#endif // OPN_XML_READ_H
