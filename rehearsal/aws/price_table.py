"""Make prices.json anew: `python -m rehearsal.aws.price_table KARPENTER_MODULE [SPOT_CSV]`.

KARPENTER_MODULE is the folder of the Go module github.com/aws/karpenter-provider-aws, which the
toolchain downloads and which carries the list prices that AWS's price list had on its day.
SPOT_CSV is a table with the columns InstanceType, Price, SpotPrice, Region and AvailabilityZone
(zone ids), one row a type and zone; without it the sampled spot prices stay.
"""

import argparse
import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

from rehearsal.aws.prices import DATA, HOME, SAMPLES

LIST_PRICES = Path("pkg/providers/pricing/zz_generated.pricing_aws.go")
GENERATED = re.compile(r"// generated at (?P<date>\d{4}-\d\d-\d\d)T\S+ for us-east-1")
PRICE = re.compile(r'"(?P<type>[a-z0-9-]+\.[a-z0-9-]+)": (?P<price>\d+\.\d+)')


def list_prices(module: Path) -> tuple[str, dict[str, float]]:
    """Date and on-demand prices of each type in us-east-1. Raises ValueError on another format."""
    text = (module / LIST_PRICES).read_text()
    generated = GENERATED.search(text)
    prices = {match["type"]: float(match["price"]) for match in PRICE.finditer(text)}
    if not generated or not prices:
        raise ValueError(f"{LIST_PRICES} has another format: mend {Path(__file__).name}")
    return generated["date"], dict(sorted(prices.items()))


def spot_samples(table: Path) -> dict[str, dict[str, Any]]:
    """List price, and spot price in each zone, of each sampled type and region."""
    samples: dict[str, dict[str, Any]] = {name: {} for name in SAMPLES}
    with table.open(newline="") as rows:
        for row in csv.DictReader(rows):
            # Local zones, such as use1-atl2-az1, have no EKS control plane and are left out.
            zone = row["AvailabilityZone"]
            if row["InstanceType"] in samples and zone.count("-") == 1 and row["SpotPrice"]:
                region = samples[row["InstanceType"]].setdefault(row["Region"], {"spot": {}})
                region["onDemand"] = float(row["Price"])
                region["spot"][zone] = float(row["SpotPrice"])
    missing = [name for name, regions in samples.items() if HOME not in regions]
    if missing:
        raise ValueError(f"{table} has no row of {missing} in {HOME}")
    return samples


def main(arguments: list[str]) -> None:
    """Write prices.json."""
    parser = argparse.ArgumentParser(prog="rehearsal.aws.price_table", description=__doc__)
    parser.add_argument("module", type=Path)
    parser.add_argument("spot_csv", type=Path, nargs="?")
    parser.add_argument("--spot-origin", help="where SPOT_CSV is from, and its date")
    options = parser.parse_args(arguments)
    data = json.loads(DATA.read_text())
    date, data["onDemand"] = list_prices(options.module)
    data["origin"]["onDemand"] = {
        "from": f"{options.module.name}, {LIST_PRICES}",
        "date": date,
        "what": "Linux, on demand, us-east-1, USD an hour",
    }
    if options.spot_csv:
        if not options.spot_origin:
            parser.error("SPOT_CSV needs --spot-origin")
        data["samples"] = spot_samples(options.spot_csv)
        data["origin"]["samples"]["from"] = options.spot_origin
    DATA.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
