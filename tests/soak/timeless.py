"""Files and output without the seconds and the memory that a run took, to compare runs."""

import re


def without_times(data):
    data = re.sub(rb'"seconds": ?\{[^}]*\}', b"", data)
    return re.sub(rb'"(seconds|train|prior|infer|total|peak_rss_mb)": ?[-0-9.e+]+', b"", data)
