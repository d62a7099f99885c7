import RoomServer

/// The words around the options in `roomline serve --help`.
enum ServeHelp {
    static let text = """
        The broker listens on this machine alone, keeps history in your data directory and logs to stderr. SIGTERM or \
        Ctrl-C ends it in good order, a second one at once.

        EXAMPLES
          roomline serve
              Listen on 127.0.0.1:10000, with one channel named "default".
          roomline serve --data :memory: --log-level debug
              Try things out and keep nothing.
          roomline serve --channel talk,history=5000 --channel game,history=off
              Two channels: one that remembers 5000 messages a room, one that does not.
          roomline serve --config roomline.json --print-config
              Show what holds, and where each value comes from.

        Every option is a flag, an environment variable and a key of the file: --max-line 64KiB, \
        ROOMLINE_MAX_LINE=64KiB, {"max-line": "64KiB"}. A flag beats the environment, which beats the file.

        \(OptionHelp.text)
        """
}
