import RoomModel
import RoomStore

/// Whether there is room that is kept for the time when the disk is full.
struct ReserveCheck {
    let directory: DoctoredDirectory

    func findings() -> [Finding] {
        // The first start makes it.
        guard self.directory.status("history.sqlite") != nil, let size = try? DiskSpace.size(at: self.directory.path)
        else { return [] }
        let whole = ShownSize.text(DiskReserve.bytes(onDiskOf: size))
        let file = ReservedDisk.file(in: self.directory.path)
        if let file, file.allocated > 0 {
            let text = "\(ShownSize.text(file.allocated)) are kept for the time when the disk is full"
            return [Finding("reserve", .ok, text)]
        }
        let advice = """
            make room for twice \(whole): a broker that runs then has it again within a second, others have it from their next \
            start on
            """
        if file?.length == 0 {
            let text = "the reserve of \(whole) is given up, because the disk was full: new messages are refused"
            return [Finding("reserve", .warning, text, advice: "\(advice). \"roomline history prune\" works meanwhile")]
        }
        let text = "no reserve of \(whole) is kept in \(self.directory.path): on a full disk, nothing could be deleted"
        return [Finding("reserve", .warning, text, advice: advice)]
    }
}
