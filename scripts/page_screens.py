#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Take screenshots of a page written by `tally report --html`: open it in headless Chromium, and save each view as PNG.

usage: page_screens.py PAGE DIRECTORY [SECOND_PAGE]

The screenshots for the documentation are in docs/screens; PAGE can be the page that scripts/demo.sh writes. SECOND_PAGE
is a page with two recordings, for the screenshot of a comparison.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "page"))
import webdriver  # noqa: E402

WIDTH, HEIGHT = 1280, 760
# Name, URL fragment, colour scheme, and the flame graph row under the cursor.
VIEWS = (("page-flame", "view=flame", "light", 3), ("page-dark", "view=flame&search=alloc", "dark", 0), ("page-functions", "view=functions", "light", 0),
         ("page-time", "view=time", "light", 0), ("page-heat", "view=heat", "dark", 0), ("page-overview", "view=overview", "light", 0), ("page-stacks", "view=stacks", "light", 0))


def heaviest(browser):
    """Return the URL fragment for the function with the highest self cost, taken from the table of functions."""
    browser.run("location.hash = 'view=functions'")
    time.sleep(0.5)
    browser.run("document.querySelector('.rows').focus()")
    browser.press("Down", "Enter")
    time.sleep(0.5)
    return browser.url().split("#")[1]


def take(browser, directory, name, fragment, scheme, row=0):
    browser.scheme(scheme)
    browser.run("location.hash = arguments[0]", fragment)
    time.sleep(0.5)
    if row:
        browser.run("document.querySelector('.flame').focus({focusVisible: false})")
        browser.press(*["Down"] * (row + 1))
    browser.run("document.activeElement.blur()")
    time.sleep(0.5)
    with open(os.path.join(directory, name + ".png"), "wb") as file:
        file.write(browser.screenshot())


def main():
    page, directory, *second = sys.argv[1:]
    browser = webdriver.start()
    try:
        browser.resize(WIDTH, HEIGHT)
        browser.go("file://" + os.path.abspath(page))
        time.sleep(1)
        for view in VIEWS:
            take(browser, directory, *view)
        take(browser, directory, "page-callers", heaviest(browser), "light")
        if second:
            browser.go("file://" + os.path.abspath(second[0]))
            time.sleep(1)
            take(browser, directory, "page-diff", "view=flame", "light")
    finally:
        browser.close()


main()
