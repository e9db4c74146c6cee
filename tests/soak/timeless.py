"""Files and output without the seconds and the memory that a run took, to compare runs."""

import re


def contents(folder):
    """Every file below a folder, with its bytes, but for times."""
    return {str(p.relative_to(folder)): without_times(p.read_bytes())
            for p in sorted(folder.rglob("*")) if p.is_file()}


def without_times(data):
    data = re.sub(rb'"seconds": ?\{[^}]*\}', b"", data)
    return re.sub(rb'"(seconds|train|prior|infer|total|peak_rss_mb)": ?[-0-9.e+]+', b"", data)


def lines_sorted(files):
    """Results are kept as they come, which differs where threads share the work."""
    return {name: sorted(data.splitlines()) if name.endswith(".jsonl") else data
            for name, data in files.items()}
