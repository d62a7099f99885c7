"""Chromium without a window, for the pages. Whatever a page says on its console is an error of the test."""

import contextlib
import importlib.resources
import json
import shutil

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from broker import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then((result) => done(result.violations.map((violation) =>
  `${violation.id}: ${violation.nodes.map((node) => `${node.html} (${node.failureSummary})`).join("; ")}`)));
"""

PRESS = """
const [text, inside] = arguments;
const all = [...document.querySelectorAll(`${inside} :is(button, a)`)];
const found = all.find((node) => node.checkVisibility() && !node.disabled && node.innerText.trim() === text);
found?.click();
return Boolean(found);
"""


def require():
    """Skips where there is no browser."""
    if not (CHROMIUM and DRIVER):
        pytest.skip("no Chromium with its driver here; on Debian: apt-get install chromium chromium-driver")


class Browser:
    """One window. `find` and `wait` wait for what they look for."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,800"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(120)
        self.expected = []

    # The page

    def open(self, broker, path="/"):
        self.driver.get("about:blank")
        self.driver.get(f"http://127.0.0.1:{broker.http_port}{path}")
        assert "Roomline" in self.driver.title, f"the broker serves no page at {path}: {self.driver.title!r} {self.text()[:300]}"

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, selector="body"):
        return next(iter(self.texts(selector)), "")

    def texts(self, selector):
        """The texts of all elements, empty for what is not shown."""
        script = "return [...document.querySelectorAll(arguments[0])].map((node) => node.checkVisibility() ? node.innerText : '')"
        return self.run(script, selector)

    def find(self, selector):
        """The first element that is shown."""
        return self.wait(lambda: next((node for node in self.driver.find_elements(By.CSS_SELECTOR, selector) if node.is_displayed()), None), selector)

    def press(self, text, inside="body"):
        """Clicks the first button or link with this text. Looks and clicks at once: a page may draw its rows again."""
        self.wait(lambda: self.run(PRESS, text, inside), f"the button {text!r} in {inside}")

    def wait(self, condition, what):
        """What `condition` gives as soon as it is true."""
        try:
            return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(lambda _: condition())
        except TimeoutException:
            raise AssertionError(f"never seen: {what}\nconsole: {self.log()}\npage:\n{self.text()[:2000]}") from None

    def wait_for_text(self, text, selector="body"):
        self.wait(lambda: text in self.text(selector), f"{text!r} in {selector}")

    # Its surroundings

    def dark(self, is_dark):
        value = "dark" if is_dark else "light"
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": value}]})

    def size(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    @contextlib.contextmanager
    def offline(self):
        """New connections fail meanwhile; those that are there stay."""
        self.expected.append("ERR_INTERNET_DISCONNECTED")
        self.driver.execute_cdp_cmd("Network.enable", {})
        conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": True})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": False})

    # What has to hold

    def log(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def check_quiet(self):
        """No error, no warning and no report of the content security policy on the console."""
        found = [message for message in self.log() if not any(word in message for word in self.expected)]
        assert found == [], found

    def check_accessible(self):
        """No violation that axe finds, in light and dark."""
        self.run((importlib.resources.files("axe_core_python") / "axe.min.js").read_text())
        for is_dark in (False, True):
            self.dark(is_dark)
            found = self.driver.execute_async_script(AXE)
            assert found == [], json.dumps(found, indent=1, ensure_ascii=False)

    def close(self):
        self.driver.quit()
