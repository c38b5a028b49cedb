/* Shared by the files that implement rts/array.h. */
#ifndef RTS_ARRAY_INSIDE_H
#define RTS_ARRAY_INSIDE_H

#include "rts/array.h"

/** A template without a handle, in the list; one reference. @return NULL  no memory, with the message recorded */
rts_template_t *rts_template_new(const rts_box_t *space);

/** Write the headers that still are this array's. */
void rts_array_fill_headers(const rts_array_t *array);

/** Give up home, template and distribution. */
void rts_array_close_storage(rts_array_t *array);

#endif
