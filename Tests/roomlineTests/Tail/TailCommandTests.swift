import ArgumentParser
import RoomClient
import Testing

@testable import roomline

@Suite struct TailCommandTests {
    @Test(arguments: [
        (["news"], ""), (["news", "--channel", "default", "-n", "5"], ""),
        (
            ["news", "--json", "--name", "Han Solo", "--channel", "c1", "--server", "tls://h:1"],
            " --json --name 'Han Solo' --channel c1 --server tls://h:1"
        ), (["news", "--token-file", "my token", "--trust", "ca.pem"], " --token-file 'my token' --trust ca.pem"),
    ])
    func `the command to go on is complete`(arguments: [String], options: String) throws {
        let point = ResumePoint(RoomPosition(epoch: "5f3c9a1e7b240d86", seq: 41))
        let command = try Tail.parse(arguments).command(goingOnIn: "the news", after: point)
        #expect(command == "roomline tail 'the news' --since 5f3c9a1e7b240d86:41" + options)
    }
}
