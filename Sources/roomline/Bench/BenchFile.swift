import Foundation
import RoomBench
import RoomClient
import RoomModel

/// The file that a result goes to. It is opened before anything is measured: nobody waits for a result that cannot be kept.
final class BenchFile {
    private let path: String
    private let descriptor: Int32
    /// Whether it was made here and has nothing in it.
    private var isNewAndEmpty: Bool

    init(writingTo path: String) throws(CommandFailure) {
        self.path = path
        self.isNewAndEmpty = access(path, F_OK) != 0
        self.descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        guard self.descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        guard self.descriptor >= 0 else { return }
        close(self.descriptor)
        if self.isNewAndEmpty { unlink(self.path) }
    }

    /// Takes the place of what was in the file.
    func write(_ report: BenchReport) throws {
        let text = try report.encoded() + "\n"
        self.isNewAndEmpty = false
        guard ftruncate(self.descriptor, 0) == 0 || errno == EINVAL else { throw Self.failure(self.path) }
        do throws(StandardOutput.Closed) {
            try StandardOutput(descriptor: self.descriptor).write(text)
        } catch {
            throw CommandFailure(code: .refused, text: "\(self.path): \(String(cString: strerror(error.code)))")
        }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(code: .usage, text: "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }

    /// An earlier result.
    static func read(_ path: String) throws(CommandFailure) -> EarlierReport {
        let json: Data
        do {
            json = try Data(contentsOf: URL(filePath: path)).withoutByteOrderMark
        } catch {
            throw CommandFailure(code: .usage, text: "\(path) cannot be read: \(ErrorReason.text(error))")
        }
        do throws(BenchReport.ReadingFault) {
            return EarlierReport(path: path, report: try BenchReport.decode(json))
        } catch {
            switch error {
            case .noReport:
                throw CommandFailure(code: .usage, text: "\(path) is not a result of roomline bench")
            case .otherFormat(let format):
                throw CommandFailure(
                    code: .usage,
                    text: "\(path) has the format \(format), which this version of roomline does not know"
                )
            }
        }
    }
}

/// The result that a run is compared with.
struct EarlierReport {
    let path: String
    let report: BenchReport

    /// - Throws: if the workload cannot be compared with what is in the file.
    func check(_ plan: WorkloadPlan, over transport: Transport) throws(CommandFailure) {
        do throws(BenchComparison.Difference) {
            try BenchComparison.result(of: plan, over: transport, in: self.report)
        } catch {
            throw self.failure(error)
        }
    }

    func compared(with now: BenchReport) throws(CommandFailure) -> BenchComparison {
        do throws(BenchComparison.Difference) {
            return try BenchComparison(now, with: self.report)
        } catch {
            throw self.failure(error)
        }
    }

    private func failure(_ difference: BenchComparison.Difference) -> CommandFailure {
        CommandFailure(code: .usage, text: "\(self.path) cannot be compared with: \(difference.text)")
    }
}
