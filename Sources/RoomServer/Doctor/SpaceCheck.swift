import Foundation
import RoomStore

/// Whether there is room on the disk for what is going to be published.
struct SpaceCheck {
    private static let little: Int64 = 1 << 30
    private static let none: Int64 = 100 << 20

    private let directory: DoctoredDirectory

    init(_ directory: DoctoredDirectory) {
        self.directory = directory
    }

    func findings() -> [Finding] {
        let place = self.directory.nearest
        guard let free = try? DiskSpace.free(at: place) else {
            return [Finding("space", .warning, "the system does not tell how much room there is at \(place)")]
        }
        let text = "\(Self.text(free)) free at \(place)"
        let advice = "make room, or keep less history: without any, publishers are told storage_unavailable"
        if free < Self.none { return [Finding("space", .problem, "only \(text)", advice: advice)] }
        if free < Self.little { return [Finding("space", .warning, "only \(text)", advice: advice)] }
        return [Finding("space", .ok, text)]
    }

    private static func text(_ bytes: Int64) -> String {
        bytes >= 1 << 30 ? "\(bytes >> 30) GiB" : "\(bytes >> 20) MiB"
    }
}
