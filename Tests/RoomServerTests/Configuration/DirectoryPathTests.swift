import RoomServer
import Testing

struct DirectoryPathTests {
    @Test(
        arguments: [
            ("copy", "copy"), ("copy/", "copy"), ("copy/.", "copy"), ("copy/././/", "copy"), ("./copy", "copy"),
            ("/srv//a/./b/", "/srv/a/b"), ("/", "/"), ("//", "/"), ("/.", "/"), (".", "."), ("./", "."), ("", ""),
            ("a/../b/", "a/../b"), ("..", ".."), ("a/.b/", "a/.b"), (" ", " "),
        ]
    )
    func `all spellings of a directory become one`(spelling: String, path: String) {
        #expect(spelling.directoryPath == path)
    }
}
