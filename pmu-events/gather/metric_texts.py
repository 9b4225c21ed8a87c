# SPDX-License-Identifier: BSD-2-Clause
"""Descriptions, in our own words, of the metrics of top-down analysis that people look at first."""

TOPDOWN = {}
