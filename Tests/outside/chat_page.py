"""What the tests of the chat page share: coming in, talking, looking at what is shown."""

from selenium.webdriver.common.keys import Keys

FLAGS = ["--channel", "default,history=10000", "--channel", "short,history=10", "--channel", "quiet,history=10,presence=prefix", "--channel", "closed,auth=required,history=10"]
MESSAGES = ".message:not(.sending):not(.failed)"


def enter(browser, broker, path="/", name="Ada Lovelace"):
    """Opens the page as a newcomer, and chooses a name."""
    browser.open(broker, path)
    browser.find("#me-name").send_keys(name, Keys.ENTER)
    browser.wait(lambda: browser.text("#state") == "Connected" or "?channel=closed" in path, "a connection")


def show(browser, room):
    """Shows a room of the list, and waits until one is in it."""
    items = browser.driver.find_elements("css selector", ".room-item")
    next(item for item in items if item.get_attribute("title") == room).click()
    browser.wait(lambda: browser.text("#room-name") == room and browser.text("#room-sub") != "Joining…", f"the room {room}")


def say(browser, text):
    browser.find("#write").send_keys(text, Keys.ENTER)


def messages(browser):
    """The texts of the shown messages, without names and times."""
    # innerText is empty for what is scrolled out of sight
    return browser.run("return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)", f"{MESSAGES} .said")


def again(start, broker, **options):
    """The broker once more, where it was before."""
    ports = {"tcp": f"127.0.0.1:{broker.port}", "http": f"127.0.0.1:{broker.http_port}"}
    return start(*FLAGS, data=broker.data, **ports, **options)


def keys(browser, *pressed):
    """Types where the focus is."""
    for key in pressed:
        browser.driver.switch_to.active_element.send_keys(key)
