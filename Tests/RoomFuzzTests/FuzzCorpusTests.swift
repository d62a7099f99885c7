import Foundation
import Testing

/// What `scripts/fuzz` runs under libFuzzer, without it: the committed inputs, and mutations of them.
///
/// `ROOMLINE_SEED` is the seed of other mutations, `ROOMLINE_MUTATIONS` their number for each target.
@Suite(.serialized)
struct FuzzCorpusTests {
    private static let names = FuzzTargets.all.map { $0.name }

    @Test(arguments: Self.names)
    func `the committed inputs break nothing`(_ name: String) throws {
        let target = try #require(FuzzTargets.named(name))
        let corpus = try Self.corpus(name)
        #expect(corpus.count >= 5, "the corpus of \(name) is incomplete")
        for (file, input) in corpus { Self.check(input, target, "Corpus/\(name)/\(file)") }
    }

    @Test(arguments: Self.names)
    func `mutations of them break nothing`(_ name: String) throws {
        let target = try #require(FuzzTargets.named(name))
        let corpus = try Self.corpus(name).map(\.input)
        let seed = Self.number("ROOMLINE_SEED") ?? 1
        var mutator = Mutator(corpus, seed: seed)
        for number in 0..<(Self.number("ROOMLINE_MUTATIONS") ?? 300) {
            Self.check(mutator.next(), target, "ROOMLINE_SEED=\(seed), mutation \(number)")
        }
    }

    @Test
    func `each corpus is that of a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(folders.sorted() == Self.names.sorted())
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    private static func corpus(_ name: String) throws -> [(file: String, input: [UInt8])] {
        let folder = self.folder.appending(path: name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
            (file, Array(try Data(contentsOf: folder.appending(path: file))))
        }
    }

    private static func check(_ input: [UInt8], _ target: any FuzzTarget.Type, _ origin: String) {
        do {
            try input.withUnsafeBytes { try target.check($0) }
        } catch {
            Issue.record("\(target.name), \(origin): \(error); base64 \(Data(input).base64EncodedString())")
        }
    }

    private static func number(_ variable: String) -> UInt64? {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
    }
}
