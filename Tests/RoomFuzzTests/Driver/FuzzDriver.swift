import Foundation

/// Runs libFuzzer on one target: `RoomFuzz TARGET [libFuzzer's arguments]` (`scripts/fuzz`).
@main
enum FuzzDriver {
    static func main() {
        guard CommandLine.arguments.count > 1, let target = FuzzTargets.named(CommandLine.arguments[1]) else {
            print(FuzzTargets.all.map { $0.name }.joined(separator: "\n"))
            return
        }
        self.target = target
        setenv("SWIFT_BACKTRACE", "enable=no", 0)
        var count = CommandLine.argc - 1
        var arguments = CommandLine.unsafeArgv + 1
        // libFuzzer calls itself to merge, by what it takes for the name of the program
        arguments[0] = strdup("\(CommandLine.arguments[0]) \(target.name)")
        let status = runLibFuzzer(&count, &arguments) { bytes, length in
            FuzzDriver.check(UnsafeRawBufferPointer(start: bytes, count: length))
            return 0
        }
        exit(status)
    }

    nonisolated(unsafe) private static var target: any FuzzTarget.Type = LinesFuzz.self

    private static func check(_ bytes: UnsafeRawBufferPointer) {
        do {
            try self.target.check(bytes)
        } catch {
            fatalError("\(self.target.name): \(error)")
        }
    }
}

/// libFuzzer's own `main`, as a function (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).
@_silgen_name("LLVMFuzzerRunDriver")
private func runLibFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
