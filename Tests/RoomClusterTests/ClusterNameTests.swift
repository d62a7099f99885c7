import RoomCluster
import Testing

struct ClusterNameTests {
    @Test(arguments: ["a", "rl", "chat-2", String(repeating: "a", count: 32)])
    func `a name of small letters, digits and hyphens is taken`(text: String) {
        #expect(ClusterName(text)?.text == text)
    }

    @Test(arguments: ["", "2", "-a", "Chat", "a.b", "a b", "a>", "é", String(repeating: "a", count: 33)])
    func `a name that would not do in a subject is refused`(text: String) {
        #expect(ClusterName(text) == nil)
    }
}
