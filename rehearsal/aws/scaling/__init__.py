"""Auto Scaling groups as AWS keeps them, on moto's data.

What they launch (capacity, launches), how their instances end (endings), how all of them are
replaced (refreshes) and what EC2 does to them (interruptions). Nothing here blocks: what takes
time goes on when `Scaling.settle` is called.
"""
