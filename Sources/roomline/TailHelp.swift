/// The words around the options in `roomline tail --help`.
enum TailHelp {
    static let text = """
        It goes on until Ctrl-C, also over restarts of the broker, and misses nothing: what cannot be had is written as \
        a gap. At the end it says on standard error how to go on from there.

        EXAMPLES
          roomline tail lobby
              Write a line for each message from now on: HH:MM:SS ROOM NAME: TEXT
          roomline tail lobby observable-lobby --history 20
              Two rooms, each beginning with its last 20 messages. One whose
              name begins with "observable-" also tells who comes and goes.
          roomline tail sensors --json | jq .message.celsius
              One JSON object a line; "message" is as it was published.
          roomline tail lobby --since 5f3c9a1e7b240d86:41
              Go on after message 41.

        JSON
          Each line has a "type" and a "room", and, by type,
          message  "id", "time", "sender", "message", and, unless it was
                   ephemeral, "epoch" and "seq"
          gap      "epoch", "reason", and, if that can be told, "from_seq"
                   and "to_seq": messages that cannot be had
          members  "members": who is here
          joined, left, updated
                   "member"

        EXIT CODES
          0   ended by Ctrl-C, SIGTERM or --exit-after, or nobody reads any more
          1   the broker refused something, such as the token
          64  a wrong option or argument
          69  no broker answers
        """
}
