import ArgumentParser
import RoomWire

/// A command that changes one rule of a room, and shows all of them then.
protocol RulesCommand: AdminCommand {
    var room: String { get }
    var channel: ChannelOption { get }

    /// What is to be merged into the rules.
    var fields: [JSONTree.Field] { get }
}

extension RulesCommand {
    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let request = AdminRequest(.patch, self.channel.path(self.room, "rules"), body: .object(self.fields))
        try output.write(try await client.send(request)) { RoomTables.rules($0, of: self.room) }
        if let note = await client.absence(of: self.room, in: self.channel.channel) { CommandFailure.say(note) }
    }
}
