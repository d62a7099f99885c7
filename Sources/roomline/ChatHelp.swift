/// The words around the options in `roomline chat --help`.
enum ChatHelp {
    static let text = """
        Type, and Enter sends. /who, /name, /color, /history and /quit do what they say, /help lists them; the up \
        arrow brings back what you sent, Tab completes names, Ctrl-D leaves. Moderators, whose token says so, also have /kick, \
        /ban, /mute, /lock, /slow, /redact, /clear and /notice. In a pipe it reads and writes plain \
        lines: each line of standard input is a message, and it ends when the last one is acknowledged.

        EXAMPLES
          roomline chat
              Talk in "observable-lobby", under your user's name.
          roomline chat observable-kitchen --name Leia --color '#1565c0'
              Another room, another name. Only rooms whose names begin with
              "observable-" tell who is here.
          roomline chat lobby
              The room of the plain-text clients, such as "nc 127.0.0.1 10000".
          fortune | roomline chat lobby --name Fortune --history 0
              Say something and go.

        EXIT CODES
          0   you have left
          1   the broker refused something, such as the token, or a message was not acknowledged
          64  a wrong option or argument
          69  no broker answers
        """
}
