import RoomCore
import RoomModel
import RoomTestKit
import RoomTokens
import Testing

/// Damaged tokens: none may crash the broker, and none may be taken for a good one.
struct TokenFuzzTests {
    private static let payload =
        #"{"client":"c1","channel":"app","exp":2000,"data":{"a":[1,2.5e3,"\u00e4"]},"permissions":{"^a.*b$":{"publish":true}}}"#

    @Test(arguments: 1...10)
    func `a token with one thing changed is refused`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let verifier = TokenSample.verifier()
        let good = Array(TokenSample.sign(Self.payload).utf8)
        let alphabet = Array("ABCabc019-_=+/. .\u{0}é".utf8)
        for _ in 0..<300 {
            var bytes = good
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<7, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: place)
            default: bytes.removeSubrange(place...)
            }
            guard bytes != good else { continue }
            let token = String(decoding: bytes, as: UTF8.self)
            #expect(throws: RequestError.self, "seed \(seed): \(token)") { try verifier.verify(token, now: 1000) }
        }
    }

    @Test(arguments: 1...10)
    func `a signed token with a damaged payload is read or refused`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let verifier = TokenSample.verifier()
        let signer = TokenSigner(secret: TokenSample.secret.text)
        let pieces = [
            "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "null", "1e9", "-", "\u{0}", "\n", "é", "exp", "true",
        ]
        for _ in 0..<300 {
            var bytes = Array(Self.payload.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                let end = min(bytes.count, place + Int.random(in: 0...3, using: &random))
                let piece = Array((pieces.randomElement(using: &random) ?? "").utf8)
                bytes.replaceSubrange(place..<end, with: piece)
                if Bool.random(using: &random), !bytes.isEmpty {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            do throws(RequestError) {
                let grant = try verifier.verify(signer.sign(payload: bytes), now: 1000)
                _ = grant.permissions.permission(for: RoomName("axb"))
            } catch {
                #expect(error.code == .tokenInvalid || error.code == .tokenExpired, "seed \(seed)")
            }
        }
    }
}
