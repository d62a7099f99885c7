import ArgumentParser
import RoomAdmin
import RoomClient
import RoomModel

/// The entries of the audit log that an `--action` means: one word of the log, or the command that makes such entries.
struct AuditActionFilter: Equatable, Sendable {
    /// As the log has it.
    let name: String
    /// Of sanctions, which have one word in the log, the kind; `nil`: all.
    var kind: AdminSanction.Kind?

    /// All that the log may have.
    static let names = AuditAction.allCases.map(\.rawValue)

    /// Commands whose word is not the end of the one in the log.
    private static let commands = [
        "ban": AuditActionFilter(name: "sanction.impose", kind: .ban),
        "unban": AuditActionFilter(name: "sanction.lift", kind: .ban),
        "mute": AuditActionFilter(name: "sanction.impose", kind: .mute),
        "unmute": AuditActionFilter(name: "sanction.lift", kind: .mute),
        "limit": AuditActionFilter(name: "room.limit_members"),
        "set": AuditActionFilter(name: "channel.update"),
        "backup": AuditActionFilter(name: "backup.create"),
    ]

    /// - Throws: `ValidationError` with what there is.
    static func reading(_ text: String) throws -> AuditActionFilter {
        let word = text.lowercased().replacing("-", with: "_")
        if let command = self.commands[word] { return command }
        let named = self.names.filter { $0 == word || $0.hasSuffix(".\(word)") }
        if let name = named.first, named.count == 1 { return AuditActionFilter(name: name) }
        guard named.isEmpty else { throw ValidationError("say which one: \(named.joined(separator: " or ")).") }
        let commands = self.commands.keys.sorted()
        guard let nearest = NearestName.of(word, among: self.names + commands) else {
            throw ValidationError(
                "there is no such action; there are \(self.names.joined(separator: ", ")), and the commands "
                    + "\(commands.joined(separator: ", "))."
            )
        }
        throw ValidationError("there is no such action; did you mean \(nearest)?")
    }

    /// Whether an entry with the name is meant.
    func isMeant(_ entry: AdminAuditEntry) -> Bool {
        guard let kind else { return true }
        return (try? entry.details?.decode(as: Details.self))?.kind == kind.rawValue
    }

    private struct Details: Decodable {
        let kind: String
    }
}

/// The author of a change, as the audit log names it.
enum AuditActor {
    /// What may stand before a colon.
    private static let kinds = ["uid", "token", "member"]
    /// Those that have no name: the broker itself, and who signs in at the console.
    private static let others = ["start", "reload", "console"]

    /// - Throws: `ValidationError` with the forms.
    static func reading(_ text: String) throws -> String {
        let isNamed = self.kinds.contains { text.hasPrefix("\($0):") && text.count > $0.count + 1 }
        guard isNamed || self.others.contains(text) else {
            let name = text.split(separator: ":").last.map(String.init) ?? "NAME"
            let uid = name.allSatisfy(\.isNumber) ? "uid:\(name)" : "uid:N"
            throw ValidationError(
                "an author has its kind before it: member:\(name), token:\(name) or \(uid); without one there are "
                    + "\(self.others.joined(separator: ", "))."
            )
        }
        return text
    }
}
