/// The words around the options in `roomline publish --help`.
enum PublishHelp {
    static let text = """
        It ends when the broker has acknowledged everything, which then survives a crash of the broker. Lines are \
        published in their order, without waiting for one before the next goes out.

        EXAMPLES
          roomline publish lobby "the build is green"
              Say one thing, as text.
          roomline publish lobby -- "$MESSAGE"
              Say what may begin with a dash.
          make 2>&1 | roomline publish builds --name make
              Each line is a message.
          roomline publish sensors --json '{"celsius":21.5}'
              Publish JSON, byte for byte as it is.
          roomline publish lobby --verbose < lines.txt
              Print the seq and the id of each message, in the order of the lines.

        EXIT CODES
          0   everything is stored
          1   something was refused, such as the token, or its fate is unknown;
              stderr says which
          64  a wrong option or argument
          69  no broker answers
        """
}
