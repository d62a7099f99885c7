import ArgumentParser
import Foundation
import RoomServer

/// `roomline manual`
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the manual page of all commands.",
        discussion: AdminHelp.group("manual > ~/.local/share/man/man1/roomline.1", "manual | man -l -")
    )

    func run() throws {
        let day = ClockTime(Date(), in: .gmt).day
        try StandardOutput.output.write(try ManualPage().text(date: day, version: BrokerVersion.text))
    }
}
