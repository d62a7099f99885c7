import Foundation

/// The kernel's knowledge of its clock.
package enum SystemClock {
    private typealias Call = @convention(c) (UnsafeMutableRawPointer) -> CInt

    // adjtimex(2): `struct timex` of 64-bit Linux, which Glibc's module leaves out, as its function.
    private static let length = 208
    private static let statusOffset = 40
    private static let unsynchronised: CInt = 0x40
    private static let failed: CInt = 5

    /// `nil` where it does not tell.
    package static var isSynchronised: Bool? {
        guard MemoryLayout<Int>.size == 8, let symbol = dlsym(nil, "adjtimex") else { return nil }
        let call = unsafeBitCast(symbol, to: Call.self)
        let state = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.length, alignment: 8)
        defer { state.deallocate() }
        state.initializeMemory(as: UInt8.self, repeating: 0)
        guard let start = state.baseAddress else { return nil }
        // No mode is set: it only reads.
        let result = call(start)
        guard result >= 0 else { return nil }
        let status = state.load(fromByteOffset: Self.statusOffset, as: CInt.self)
        return result != Self.failed && status & Self.unsynchronised == 0
    }
}
