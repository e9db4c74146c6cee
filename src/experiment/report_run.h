// report_run.h -- the report of the folder of an evaluation or a reproduction.

#ifndef OPN_REPORT_RUN_H
#define OPN_REPORT_RUN_H

#include "opine/report.h"

// `data` and `params` are as for opn_report_load().
OPN_NODISCARD opn_status opn_i_report_of_run(opn_ctx *ctx,
                                             const char *folder,
                                             const char *data,
                                             const opn_params *params,
                                             opn_report **out);

#endif // OPN_REPORT_RUN_H
