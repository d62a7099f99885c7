import Foundation
import Logging
import RoomServer

/// What a start says at a terminal, in place of the first lines of the log.
struct StartBanner: Sendable {
    private static let mostChannels = 5

    let palette: Palette
    /// The command that this program was started by.
    let program: String
    let environment: [String: String]

    func text(_ report: StartReport) -> String {
        var sheet = FactTable()
        sheet.add("  broker", Cell(report.url))
        if let chat = report.chat { sheet.add("  chat", Cell(chat)) }
        if let console = self.console(report) { sheet.add("  console", Cell(console)) }
        sheet.add("  data", Cell(self.data(report)))
        sheet.add("  history", self.histories(report))
        let heading = "Roomline \(BrokerVersion.full) is running. Ctrl-C stops it."
        return ([heading] + sheet.lines(self.palette)).map { $0 + "\n" }.joined()
    }

    private func data(_ report: StartReport) -> String {
        guard case .directory(let path) = report.storage else { return "kept in memory only" }
        return Self.absolute(path)
    }

    /// So that it can be used in another directory, too.
    private static func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }

    /// The command that opens the console, for another place than it looks at by itself with an option.
    private func console(_ report: StartReport) -> String? {
        guard report.pages != nil, let socket = report.adminSocket else { return nil }
        let command = "\(self.program.shellQuoted) console --open"
        guard case .directory(let directory) = report.storage, socket == "\(directory)/admin.sock" else {
            return "\(command) --socket \(Self.absolute(socket).shellQuoted)"
        }
        let isUsual = report.storage == StorageLocation.userDirectory(environment: self.environment)
        return isUsual ? command : "\(command) --data \(Self.absolute(directory).shellQuoted)"
    }

    private func histories(_ report: StartReport) -> [Cell] {
        let others = report.channels.count - Self.mostChannels
        let shown = report.channels.prefix(Self.mostChannels).map { Cell("\($0.id): \($0.history)") }
        return others > 0 ? shown + [Cell("and \(others) more channels")] : shown
    }
}

extension StartBanner {
    /// `nil` where standard error is not a terminal, or the log is not for people or does not say such things.
    init?(_ settings: ProcessSettings, environment: [String: String]) {
        let output = StandardOutput.errors
        guard settings.logFormat == .text, settings.logLevel <= .info, output.isTerminal else { return nil }
        self.init(
            palette: Palette(isTerminal: true, environment: environment),
            program: CommandLine.arguments.first ?? "roomline",
            environment: environment
        )
    }
}
