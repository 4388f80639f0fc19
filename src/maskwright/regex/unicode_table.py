"""Unicode 17: general categories, scripts and the binary properties of ECMA-262, packed.

Made from the tables of ECMA-262 (``table-unicode-general-category-values``, ``table-binary-unicode-properties``), from
PropertyValueAliases.txt, and from what V8 with ICU 78 says of every code point; ``tests/unit/regex`` compares them
again. Python's :mod:`unicodedata` has no scripts, and another Unicode version with every Python.
"""

from __future__ import annotations

from typing import Final

__all__ = ["BINARY", "CATEGORIES", "EXTENDED", "PACKED", "SCRIPTS"]

#: General categories, in the order of :data:`PACKED`.
CATEGORIES: Final = """
    Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn
"""
#: Scripts and their aliases, in the order of :data:`PACKED`.
SCRIPTS: Final = """
    Adlam:Adlm Ahom Anatolian_Hieroglyphs:Hluw Arabic:Arab Armenian:Armn Avestan:Avst Balinese:Bali Bamum:Bamu
    Bassa_Vah:Bass Batak:Batk Bengali:Beng Beria_Erfe:Berf Bhaiksuki:Bhks Bopomofo:Bopo Brahmi:Brah Braille:Brai
    Buginese:Bugi Buhid:Buhd Canadian_Aboriginal:Cans Carian:Cari Caucasian_Albanian:Aghb Chakma:Cakm Cham Cherokee:Cher
    Chorasmian:Chrs Common:Zyyy Coptic:Copt:Qaac Cuneiform:Xsux Cypriot:Cprt Cypro_Minoan:Cpmn Cyrillic:Cyrl
    Deseret:Dsrt Devanagari:Deva Dives_Akuru:Diak Dogra:Dogr Duployan:Dupl Egyptian_Hieroglyphs:Egyp Elbasan:Elba
    Elymaic:Elym Ethiopic:Ethi Garay:Gara Georgian:Geor Glagolitic:Glag Gothic:Goth Grantha:Gran Greek:Grek
    Gujarati:Gujr Gunjala_Gondi:Gong Gurmukhi:Guru Gurung_Khema:Gukh Han:Hani Hangul:Hang Hanifi_Rohingya:Rohg
    Hanunoo:Hano Hatran:Hatr Hebrew:Hebr Hiragana:Hira Imperial_Aramaic:Armi Inherited:Qaai:Zinh
    Inscriptional_Pahlavi:Phli Inscriptional_Parthian:Prti Javanese:Java Kaithi:Kthi Kannada:Knda Katakana:Kana Kawi
    Kayah_Li:Kali Kharoshthi:Khar Khitan_Small_Script:Kits Khmer:Khmr Khojki:Khoj Khudawadi:Sind Kirat_Rai:Krai Lao:Laoo
    Latin:Latn Lepcha:Lepc Limbu:Limb Linear_A:Lina Linear_B:Linb Lisu Lycian:Lyci Lydian:Lydi Mahajani:Mahj
    Makasar:Maka Malayalam:Mlym Mandaic:Mand Manichaean:Mani Marchen:Marc Masaram_Gondi:Gonm Medefaidrin:Medf
    Meetei_Mayek:Mtei Mende_Kikakui:Mend Meroitic_Cursive:Merc Meroitic_Hieroglyphs:Mero Miao:Plrd Modi Mongolian:Mong
    Mro:Mroo Multani:Mult Myanmar:Mymr Nabataean:Nbat Nag_Mundari:Nagm Nandinagari:Nand New_Tai_Lue:Talu Newa Nko:Nkoo
    Nushu:Nshu Nyiakeng_Puachue_Hmong:Hmnp Ogham:Ogam Ol_Chiki:Olck Ol_Onal:Onao Old_Hungarian:Hung Old_Italic:Ital
    Old_North_Arabian:Narb Old_Permic:Perm Old_Persian:Xpeo Old_Sogdian:Sogo Old_South_Arabian:Sarb Old_Turkic:Orkh
    Old_Uyghur:Ougr Oriya:Orya Osage:Osge Osmanya:Osma Pahawh_Hmong:Hmng Palmyrene:Palm Pau_Cin_Hau:Pauc Phags_Pa:Phag
    Phoenician:Phnx Psalter_Pahlavi:Phlp Rejang:Rjng Runic:Runr Samaritan:Samr Saurashtra:Saur Sharada:Shrd Shavian:Shaw
    Siddham:Sidd Sidetic:Sidt SignWriting:Sgnw Sinhala:Sinh Sogdian:Sogd Sora_Sompeng:Sora Soyombo:Soyo Sundanese:Sund
    Sunuwar:Sunu Syloti_Nagri:Sylo Syriac:Syrc Tagalog:Tglg Tagbanwa:Tagb Tai_Le:Tale Tai_Tham:Lana Tai_Viet:Tavt
    Tai_Yo:Tayo Takri:Takr Tamil:Taml Tangsa:Tnsa Tangut:Tang Telugu:Telu Thaana:Thaa Thai Tibetan:Tibt Tifinagh:Tfng
    Tirhuta:Tirh Todhri:Todr Tolong_Siki:Tols Toto Tulu_Tigalari:Tutg Ugaritic:Ugar Unknown:Zzzz Vai:Vaii Vithkuqi:Vith
    Wancho:Wcho Warang_Citi:Wara Yezidi:Yezi Yi:Yiii Zanabazar_Square:Zanb
"""
#: The scripts whose Script_Extensions differ from Script, in the order of :data:`PACKED`.
EXTENDED: Final = """
    Adlam Arabic Armenian Avestan Bengali Bopomofo Buginese Buhid Carian Caucasian_Albanian Chakma Cherokee Common
    Coptic Cypriot Cypro_Minoan Cyrillic Devanagari Dogra Duployan Elbasan Ethiopic Garay Georgian Glagolitic Gothic
    Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hebrew Hiragana
    Inherited Javanese Kaithi Kannada Katakana Kayah_Li Khojki Khudawadi Latin Limbu Linear_A Linear_B Lisu Lycian
    Lydian Mahajani Malayalam Mandaic Manichaean Masaram_Gondi Meroitic_Hieroglyphs Modi Mongolian Multani Myanmar
    Nandinagari Newa Nko Ol_Onal Old_Hungarian Old_Permic Old_Turkic Old_Uyghur Oriya Osage Phags_Pa Psalter_Pahlavi
    Runic Samaritan Sharada Shavian Sinhala Sogdian Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Takri Tamil
    Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Todhri Toto Tulu_Tigalari Yezidi Yi
"""
#: Binary properties and their aliases, in the order of :data:`PACKED`.
BINARY: Final = """
    ASCII_Hex_Digit:AHex Alphabetic:Alpha Bidi_Control:Bidi_C Bidi_Mirrored:Bidi_M Case_Ignorable:CI Cased
    Changes_When_Casefolded:CWCF Changes_When_Casemapped:CWCM Changes_When_Lowercased:CWL
    Changes_When_NFKC_Casefolded:CWKCF Changes_When_Titlecased:CWT Changes_When_Uppercased:CWU Dash
    Default_Ignorable_Code_Point:DI Deprecated:Dep Diacritic:Dia Emoji Emoji_Component:EComp Emoji_Modifier:EMod
    Emoji_Modifier_Base:EBase Emoji_Presentation:EPres Extended_Pictographic:ExtPict Extender:Ext Grapheme_Base:Gr_Base
    Grapheme_Extend:Gr_Ext Hex_Digit:Hex IDS_Binary_Operator:IDSB IDS_Trinary_Operator:IDST ID_Continue:IDC ID_Start:IDS
    Ideographic:Ideo Join_Control:Join_C Logical_Order_Exception:LOE Lowercase:Lower Math Noncharacter_Code_Point:NChar
    Pattern_Syntax:Pat_Syn Pattern_White_Space:Pat_WS Quotation_Mark:QMark Radical Regional_Indicator:RI
    Sentence_Terminal:STerm Soft_Dotted:SD Terminal_Punctuation:Term Unified_Ideograph:UIdeo Uppercase:Upper
    Variation_Selector:VS White_Space:space XID_Continue:XIDC XID_Start:XIDS
"""
#: zlib, base85. For each set the number of its ranges, then for each range the gap before it and its length less one;
#: numbers in seven bits a byte, low bits first, the eighth set while more follow. Surrogates are in no set.
PACKED: Final = (
    "c-rlK34oNvv42%{_jk^{yR$oc%<Qu4E_*L5H*$$69*IYyqQ-zekKCHXy!Y~w7Y7hLP{adNL_{Mh@dAU1N5J*M`>`I7#1oZhVxnTaPyW^Y%`Cgi"
    "awwRX{NZC}cE0(J{;I31epOvneXbgxIzEY372xOEXglAxv!Q+$X#OG+`dz=}e<QPB|1H4gZ?psVGsh6Z=iO|5OF)tTeuch;00*q#vWPKss)1X("
    "l?y1-Y#P+I-CMbzuZg%51pn+ET=QVEMnBZ!>d*_~U^NhRe9`y(e4G2l-@$g2XFL4v=k_@EBoWe^^u;U!34-_^2x$ce2ofGD7!4m6wlY6Zj&efx"
    "n?qkbO&oqnc=Yd|?W}@r{C0ZJuVSZ~=k;J`nPcZZuPJ%!xkvOK3VJJn>u$u<eQw<uSiKNEjG%@1YIx9PSaf?blf4cz<4W#-2venc)58=<iyWK3"
    "v5+Aftup@9_YziFaFp57B~|$iZs}Kbu{tI-66%Z5#$7Om`+ATa5W9w(nAuS3cghP#%85=*Mt(T5`VgCa+z)Bzy3^963_8(ldr|7HfI|c&psb%J"
    "?^aHgMrvbw>lZc1X(vei*|)X<_a|9QzOU5uxP$PM#<3x+I^oMGGo3H~4ta@b-ovEdZAT(n%od0azd5$Yf1R%xSwI;x5VJG?AYlkxSJaw=2Z4A%"
    "RO*YT3fkswA*1##_`+o8&WeA#CuirRC-n_UdXr7|0Ub(ttlnZZD91jqV-Z>*xztHLY9#5Uc}Y4WGU$Kvf^<~LYAr}DjI)5$!q`HuG}UV>D=$G+"
    "+Utd|BI06!rQR#3^6nExKGnj!QHD7}5QSDaaG8orKO%Kk%+wF?oPd`Ru0lMASl(q=5C~X|a1FwfE}ROtNO&p?--VYXbP9DNjtN7*{>v4FAr^YR"
    "7~e#=6Jf1@MycQ!JeuY|hw!4S<`Db{%JHYpK~N0e5(4><B%F!xJt)Exg$uK;MQFzLQHAyBT;M|`tR=W04KFW1@v)!*c(n|TV+M`j$EONSq2*IY"
    "KZw>1He4X#VF{PWUm-tGma&28M7-T9m7+O=ZZ+butgX;vu^j`fsF>_SNo7${Ly7IFVzgodMhy{=0Naf*5m<~D@x?(1!AFN#R!7hSN6BEn`Iq4?"
    "D4>|b91!f2`ur#sgP%X&>`U|6QHTR79(y9d-a-QvKM8|vK0Ap~0i~pYcN%1{$2Dj2z9`1^9R}!DD{`nrskkWCf`qJ*t%xBt3XMcB=64s-1(L<0"
    "62{tCT_%6rPzW(4`6*cCk_?65hYxTg$TCoA0KY1`zD002zwcQS{o!9F#W1DzvuryaPDJ975I;ft0GQAZ2iuaWm^~(X>46m_{YIG@nsf&*!<M)`"
    "v?7dNV`+6gc@;kt%yleYZg<3c#luRHu7y3eYqYeHhca9`LV{|*qvM&jXjb0YKJG$hxp$ojb<S*(Q4jZoffJV^oXGHi$sjOU(H<E%MzP*RzsyUf"
    "%I%hBNscFRKrx|R7-cep7^tNfNj>07P<S>(6!E58aUS-o_~qfDq-;BF&)0~)JwcN#WWbL8_uZ;jDKVCY4De5pI19h+ViTo>Ih&~3#}p>`s0fAo"
    "{m)EMF4|f%;R3X+8n1$?rJcpE99!qKf1^G08*+<0`(jkwhDJ>ZN_t5*J)Y0@ioBGSsvTzGIEZpHvAm&NlvmqWRyKrxON8S;nDkq$u4VpOM)elP"
    "m<@)PGy4@a#9Io>lA*yP7(0ZUDoaYMD>Sa{Cm_@s5k>s8)p0B-z_F%BS%SEBOKlHkOh8DcT_cKE+NSu7rojnONa@x>W}{oNrC#)JErd}GVc4g%"
    "#<~p~pJ2uT(neZwln?)=O|?9Jpd7q98;ZbhE`Y?O`>`_PVE;G_tT<WUsip{0N{^8U6c0c=jS_q=E9IZVftT1X<30FD;ne6&PF$rHWYlVT+mMPE"
    "!?#L19sg>)BGKAjs1m;xb@Rl23U0!+BkD89{OFv$uH;cv!J{`KoY~^E#CKFkIJUcSFL*~ZRl!|Uk!ai?O8<lv1ZyzOWM!R4(uEiJ*|m)u!F%xz"
    "Phe@z&~*co)5;?#%I)t4TS%C5g&A5g#exuH_x5}KQL4PGADz=o%SJ|DlUEj8CSUX)s#QywpR(3T7mz%YnsV#}lf1UV7#wdg`!E+&L%Q@RZ=~Zw"
    "i9kKBWh0Gp8j3M9OzQ}n?HS9%3K+@K%Yi~HWz9SSG!)n7Z<^W2*WX#4Oa3*<f_<cJG9PQB&(dQwgkTU0YQCDjq0oCP%rO=yEW~mgfx(q4U=lEA"
    "z>zFRLiVvhj&JRYW#-X`h53f4Jgj!%1T&C{`JRP>2y=TZ7O!_Iy4j`*CUY8D8e0yK=Rz}I?<d#~{*xrjA&Z{Y7<Z)BQ(F1imP^nU#x(hbqRoI%"
    "1p}NAR%&2E!;RAcX(YGmV!mMrEy=AGxEjZHst{Ag|FoFSL71BPl@#B_C;!R>b1U&6oU5U?gcRF-7a^9$!%%CdycTNX{v)h|2}}vT9@}QE(5_Lu"
    "ej;c<2VU15E@9asgcnpa7Jbx)7ZK*6oE7FKDKUT~EJ0i;#dx`r@GEL>Z=m=Y42{$?9XuMym$zXw^_OUmfe;RMJV7u;n+d3mfXi44*+oop0X3G8"
    "d#kV^Zv+puxe=@Yzs?=Vl*ZRl=uuOqf8cY!qshfT9S?>D<qUEVvjNzjt5Lm#N_T)F?nsxVQcDP#NCt_pCe+&gkRmcl>VJ%!)byXEX$wyi^TS}N"
    "u}LxfsUEDz14sCRItt_{>tYASii6?SOAue^-%QEHlHxX5X>lRa9nqn3paT&|N{n=RS|k~HavUQ9>pg<eteVBAh;M0n+T0IM3G4gTEjP8jfp_7I"
    "1hXTN!((s|jwCI{J!piHv?sq<0pJiEsmGz&e*zk_g*>RI(PFgzMe2d+VmZ@oq-JXVtpWEZ%TC}!gk#}4Js6nW%%ZH^ts>3&;L-abNW(M)n?=`C"
    "%m}1edOezZu~CDLI*%;}jnnvt(R?hAG1voi#|Uh*9lQ=%y#1yY-+Du{@njqnorBm4ZDuh3fLmJv&3vuz^PLsE7GMH|3m(v2d@7Fxi9crLGYZ<s"
    "#V{PL{cP|nqzsM>9+6z|@atro0jy6wp1WDVci4X9-}#DU@y8E!-}6m0N1X`zQD^Ei-_txSjkubFq`~{wp#sM+0~nL?e&#axj&b3wMJ+DiIXwc}"
    "P+#oNGmx$-ANnnP>u$cPQfIihq6rp-SQX8lO*E;^y*lL1LU%Q~3x)fiTWnMLwYNK;_-%E>t#z*_H;eAo=vwY?&^=6_YPqW~Aops;zw%X*ymP*A"
    "=kp=6e0Nrye_m+mbM|oOqQ1~N;!D0u?g_3{aDaQY;6LUoKIvWLdkl47<|AhC9TLIC=S%n9Rp>rhG_WI~4}Mp;@1eWaa_85$;n$n#jlzB;J}rlo"
    "6QS!~L$`AU4t_*C6lbCQ)wmzbya;L1&CCqk*S93p`=tJxW}@{+wBpWk;ojmDyydv-1<VVBQ2Zbmt%r4L)K`n%l@)*S;6hiNg>Kr$NTpjB+4w4|"
    "$ChK$coE07RN7yx@a&XT=j<<&YOw}>)I81^%rb9(`7OJ|uD2c{wVu+8&}|SWTeGm>BPzJh!yAS3ij{c6Dx7r@T8pgY(g(00RPeo$|7&orut#d("
    "b3hYD?zThL6nK6t7Ql0N2rQvD5DJ^&8IQ%<UF9&-fiq)jS~+)mhIykLRtdI_PJ+3Y3akMS7)Gt<odgFCU?q`(RTa!B&qd(V1oKQS57H=nsC8i)"
    "RyjTFl!F+B=l{O2Z;!<|epSJe{COz`8o^)Ji!EGN1XnB&@Oy*`=<VBzn@>jYx_#PCIiQ}OEdwiaO<h{BOPkrWjYi@kZsZ@g*+|_oZA$qpD*iS`"
    "`+oSrA1E`{9&s}Tcy}N?JBI%#@45eOtfHKAk}W;KdUr3DL=n~|s}wWp<3iQLP;>1j*4oJO18F~T0yKvIf;2ReVIjc6@@$0vhM&SLhJWw|u`2iQ"
    "T824rGVI4={v^fC+8~{o7W|y{!ONJ7s79f<jqnewPPC?A4)v^Z`neb-$KW{Ihr2CglhD!PQg|BmEJ(3vIvLJoVWa(BjzLApXxk-?ib6!!3mO3{"
    "5vKoHn~L-w%xFJWACowYZ5D)qEHRG>#qj6i7Z}42*r2>hJFb$9KuBnN$kyTx=V32$^yj-Q5VTOSh+ZV%6{SU52Ii7e3nyE9T1SXqTW}i6Cb1H&"
    "@3TPtg=oVASqy4QO;+E9UumuJBk6H_zXcy+^4nA%Ism34eT;Ah(WMCAu)oHd^k|nEaf)ofnF{v{-Gs2wksl}Vqf?Nr;PKLdYb9Mn;(mhPU4rn+"
    "DEU?rp0jX5BgAMlH@KPmw1!*use*GQ-7%OOP)A{!jZh~o*h?xSrCBTTnA8uLnaw8Gk&rGKpxE?vVW@o)bh4$A_M%yuj>$1HL({0Okkm7m3%FI!"
    "fn0^Td(B`iDXu8P_0t7(Mw!<#y<XS1;By5|QGfVf@fR0<27edG|7~~&;dFxgBwShm_r|N<Wh?xi>$J_ifH8r#M&BJP7BL$wD}c;5`9}K~R4m|3"
    "DMDeT;alt{%$?IcSkb}_^7#RI!-ZA&(%&%Y;)&SFCKj$<jIocjBmPQ+i~cO+U3hf>un-=z;Vi;a@&B|Bx&Ytfhmr6OafdKmISm=HLp_`>7~(S@"
    "s6sQsW}>aNoD%mTZdC3QdP;;bRn-gRy3Pz=x0?rnR$+M;i;oe5+ee}+gLy6Ha&1Kerq3o@7LY{;VMVIW+9&B9{FUTy7zW@F=Lg)Lrp9rbFe_Wx"
    "QmUmh@lUA!MA(wT$)UAa8fCs>^{K6>PUac6vc`p2+OKdRn(=C*cTz|D*ts|0&=)MB8E&Pd2d~8FYZM)aL+xhTAT&V5Fy2Pah!`V`kbu^v4@0;{"
    "!WoYJat!9hZ5exLJ_-fvn0POx-(V~wel4tIG&=Rid%S~QEsau?M7u)nQ8b?IYCLSIyGaZagKWMoJ`jdyk{azirW)mcgd%LrN3ehKVzwK@jnZLd"
    "r550asQ#ctOoRmMI$uK6m%|*Fl~o1#636_WoG^uiCx$aAqrA(t&qqAU1G|#(%=3+~DdF{J2)#H1cr6RkrQ@`snNnGF1H$8;N<s$@cgPAn2(C-R"
    "$5B}-2eO<vccp+2knXBt!S~|c(e-mltf{wWJ=+H9DI(h;HVw?q8UD#8LHv4Nz0Vf9&_1X_IER%IBSto6>@v2Bm}mFE<HMtHAV#5_sqD*s@-+l)"
    "MJ0K7p*A|SMP+OBq!<kf9xcIdW+IbMF&-Gwh6O8oR~VmG@VjD8(oPbLNDNuFo`1yrxyoEuSi)R4!B&jL#+VFd1Nfg{swusPc@@J&l5qpW>lo^*"
    "OG_Ik+Hmx&q}lK3>jl3^eGcE(*JreYZf^{=Q!qg#2BX^gwt7~HZ871G6czo+I2TJafJY7EZI<~mGYR^OI+mGH2=`xYyg~Q@kGsIHiuL@e>iQN1"
    "ZBS0YN-9-{F+*Rb=m;z6lsJW^8RUNxJ>{uVb%fO@_jWU&r`wPk*dA;WrOKx<IG&-V&&Nct1w#d2fveHpgOSb{*@(W~DCbMQY%Ra?YBqyIxM>ka"
    "umz}zemvVsWe}!*;i|~lC>E$9zwp8ceoC_0w0*cm;S$G&p4%^~O5q599i|R~!|+7e2;YRmoHlrE1JW?(87jCH?PsxI5AxJ-dv80WPVv(8Rq#a>"
    "409r^R!%G~54=$3%6qUv^3+v_`^93QczrMYPL1s=S!(>YnqAIPnFiI)_(}4ZJY5TwRSd|D^GYygw_U{op_G4Tg^rP`pGhH_X)-?)wzN#c3K|$G"
    "7yX^IY?NuJ5s~^uEUQ$1(O(R(2YcG(syWLKK54N3TXK@FQ*1#4xO=f}#n6Q11Qx?2+im5W$SNw6Wi`V^Ar9hi4);_A3gKC<H7-*pLe5aO#>-@>"
    "C4KwAeTTM(+N~DbQ?*oK(;Ce1Ww{TdmhD!y*bPOcHRT1x&R4mCd%1`y%Tq%jVb?iRq0mb}>*&BA9|d2HlAe;?#{%=4cEd5J^FXsnd7hEDwGezt"
    "{v?~qzX7UZlI<<Qp;%ir(eqR|F_Jl^u&fNDqWD(a<3GOUYcS#PHPbvkLXJ1lVRrIMC)r;M?Q405I*0cQd&*@68*wXGXC@&sNw=VhbO*WoaN5MK"
    "(XI_{f0OXu;RlJc*;w&)j0_50Y9D_RDDPf;xbQzh>m2vejJ#joI%MR1;oGE@0gp{xPo>df1A`?T6v={{#K`;bD4D`k<NjiV6(6goP}YqYP&xI-"
    "A5W0x>3_*`wVWS5EbX(!jKp_km|V+4=jrq(NGpUYj>ID^SnQlKiY=Eqyc-Mm{%N6K=pXK+X5pc%R>_1{NXBb==#J-s=<sJbla2X~+3HEcs|Z)A"
    "h=S-EC!?$<dDO<yP+pFy#FLt}BU;d%l!=X$xJERr#YTa5at|kMdY%sq5GHHP*nk6AmeX8oul+~g#kVZW%~N`Tzf0u<E<|pBx2ZeSPb<xF9>iHn"
    "DTuezIn*SM^P?<4qEO@Bh{GyEO~U1&YF&bVv?<Pz;3-rrD<UB=oV#a$on}QxVYl`VWJfT}uwevSwlUu6Sr;Ijc$%~RQOYdphjW^7`N+uY@`{2*"
    "@&*6lTKTIzXI<2Y6;n^$i06JRKHVfxzeM(Ndw=Ol{^LejN)egF>=|mc9G(qHEqR%;8Fc*=eiy3_YTbxcYCkOR+#p^PbS_p#PuBk2m(uA8%5kbx"
    "c9qy^SKwfj%e@*JNHpWGLQ;0V93m{r4m|(|(&9(y@H3{1TP1a_RTZSDV_3T*BH04%i0_(RAV<%JJ6d%}Dxt;CsuC)Z*;}Q9O&Ipd#j6T0`9{OZ"
    "8IfHqzapzyDP#}Ygp?gz#%=6qDG=EKo8&S%@%9-qii>B;Hd=O;Z1;h(SIWT{m)R$2sLNc+V0&@hp``wPBOQp#E|+D?*cd8Rr7esTWHE!syF{&$"
    "RB#H5XRUEQ(Jqw;Ge;#XWPm0aTi_pEm?y-Q1aJ6kPdu!t@~F#r*VZmV)`l}JpAKX0^e_^y8dIZz98)+}Px2C#^olOGv-Fl^Y?YNqpU-j(uq0|r"
    "aTKeBBk=-^YEacSHgixbOuhygP-Sn%suO4lx^JVNc$zI(gFOCA#7=aR{V;)oc?dK73@n10aU4r#PfjOdlfXGB)ZVlKORsv1#53uSF#uArDLEiD"
    "TErX!q}FO9J9L;^ayot;_wI^K@XgfPxF9+K%kt3)_yo}}i3YwoV8Q`=+}#~#c{kwj6ibCJr1b}Tt1v6#)b$OtPMCFufkZFb;kgI@SXnaLAuq8{"
    "_yJ1)9<;J^<>r|Lz`4)MW4)|%8q&4c+2S#I4uDrGGaVao%AA|nxVu-3u3}a>LmsHIiGyT>QtMYyCc6P$CwsHTB*vj%!H?{_E@qd>Q7Zesm2;^x"
    "pvkV6YaMSv2D4|$I$VFbO!m+ApS10XBg%->%k5jt^jyiXGe7sT`~#Wu#fy#wvPP6U=q;`?)4mKa#N1*X>{MyKTiMA|7QbS3xf*fVELj@OUM)9|"
    "A3bLD_#xxnw#X8)|3*ugxVB&<>$%wi921FNJxC6cQhpsesE8X=!>@cGNty<umQIZ9SmQd^5Uje8;Hm5It8sXKv6vW{Rz%osl8@ZLR*eesZOdAJ"
    "yVMgM{q<D2?Z&1R684xS<j#_T_nwCd*fGrBtwt1Oj}9!0R_!ZsBH~{A&h~Meeu>QUdQR$$SCLWZnTu)bQw@=9zfE}K9ypDT{$YB2`i0l9e1;0<"
    "wXQm_Yr=}M3uK++;^LM<vHm=n;6_UKJb$QDD%G{Gid5IMmuuZM^-zmm_*5;T1XR!sY)eqbTv>!pI%}OYkMLgMmBM-@p6=I7{sz(0L4USnWmkDy"
    "T6`D(v_M2-;WfsS{!}I0`yO?7CO`gM+Z#yh=gWk$sbjt@B3opipsx^%b;@2L_w*o~O@;Dvpri>e*bLOToe3Yg;+P|dHe$4svBKeVE*35}J-*(^"
    "W|l^m6Aglh5ZP5Sh66-7Wgn+zM$g#`rA91zX0@CJgljuu!}AI*9lBO9HqN#l&05@jS!5`Cm5gHxEn6Z-Di=GRQX~9n6`QA5lO&C3;1SY)e9B6-"
    "vL;kXOk;<rla~&zvD%bSA)GjV6TV4iCj1=jwk?DBfZrEou6zfN7Y7$cmRSwVPh$S%Xf1H~DobK!uKT_lMcPs#JA9ak2vXTWY4oM9r#(dWY#B@^"
    "+S#n^F$GDT4^rzgHt#VzQ<l@>^JR*GMCX;V7T2$oC3dz{lX4Jhri@aGI$~u!_B-auTIq|8x5^ANYS_-+E;aoc&18YY?9%a!I#R4(OUVbZnRQ3D"
    ")4rF{qgZ@_EM^<J8M7Bi)=1B({p4^vM%nA-UcPH(+cdKmSd;CBTRvjx*YPCdEACd6T_W@Ik)F&}UXC3%Q~H=p=O3_uvggUP<6!55cD-2qYiTpH"
    "@G<R;l0hkt<m|QbDCUBW=t$<}7r4*n%)r?~X79F}L|F3-W}C~gb9gItK5REIv9g!QLE%BRqU<czmW0`PGJ~D7WCJZeT~^C5W*2FJb|LT0UMwf!"
    "#zis}nU<t2g^Eo^DaUEqnS5e3WzUoq<f`mCHPLhVz(SS4^>g_;9k<Bg*wIPDD0{vvV<R$qk&N3SWYMz6shU;s;^zH?N7)!-H_ARn6CIzjzm!w5"
    "1vYk`AzLYXog6|n*ukAAvdiq*D#~giJdHJc*GxYfirUGcr_ktcr^^Cdwn)}f=M~(=E_SYvhfsFd*etiX<F~RZ!V<lcnq)Q-#!*CbiErLg#5U*p"
    "7R?Pvor5Y!s>OrH@Nm!;M3}N`Y0nZVIv!=rR>Wg2dxIQdxryn;xMkFWl*WqI_@MB<YvjN%(8ed#SGlX#a|dNM4av&%F+U1tOM+1x&5vPoYaYe6"
    "gW2dnnpQqSmD$<!K3L7%TCKxf7}+g5au};nhA&IyKAI6{%XV6J2U}4t&b`l0``K$`e)c-}6gucZxA=5ff$-dJ2f}U#!au=*kd18`_&V)&BJ6e|"
    ">~<o2DV+#DW*?&K$k}+7%tcn_BP^-oK6?b)AB&gELqe>)FO&5;M1-;(bhayoVs?ex$G$wohVY!h@MamTddD(Oh{4+HunxPq8rHPv-{&k4n`GYG"
    "V3%!3?ox+?I>Ul%WtY!E{ubf=Bk})k6GMbm_B#a^hB1z%+wd_wR%0eNb*6%2=4OaKxQKiEe$6`!S#jQxjF2(p84Z6Ag4=L%X67XV7qGT5ZikyL"
    "XVG>`3%Ui0?|$W2zRDA2@cOl)O`T@3$Z3MdW@s0Le7V5w47tCVrX3MZ)*>C_k!0)o^~#(h;)=Wv!q>1X@IsK*>mrDhR@x)+i@ZPL_r?$LjHjIt"
    "*HrpEn$ueM>nPYAa5*Hgm;$P&uGG^pVcv@1JXxH9fy`@HpsS{2prd{488>6<1TynkS1my|SxA0&XM;M`I2z6uq4uU37mDpV7s{+%=Ugb>IoE>6"
    "-SvPp;oaZE?*(24?)nFoiZVAlT^i3xN4T4tfp{;@Ir`WHGu8ykk8B06<4u(JI-ClxWHJ-r<2Sl{9$Y@*p3ouG&{<oH_^u6i&LQ_|G!6){A>ntd"
    "BzN`mI7+u@jgC$!!HW)qdoJzrK-hwRc~ruOGh|)O91Gs8*p<!)>+F#6Z7rS?_#nc3v&USRALLz8tMNlDuwhBc?3h6i<0Br{WA#(5)~6A?nS|%k"
    "u%vj(O9HOjh%omp+2yLx!{QMgO*8;L-6Tp=k0p3aW>xr^DjwKr<^d+ixf?_eM+V!JJscTNmuU5EIt(e7y3@k9Zm_rR+@Mw4b8dVS9>8Aijksyu"
    "rL+wn$FkeWb+{?l$MM5!x_dhcf^%^@E|1&pU>ovJ30QEG8d0ww>8Sj)stNPsji1}O1L4A)6R>W0Thwod$t9kgn#P=GBx1k+OXD2*tEFYp$LqC="
    "<S(l+{@iH1v25#(k|OOWnYM=!Y7sIbZO9fblLrsb*Bsg9H?eaZQVBfnuRA;ELrHq4TX=@*!+R2+Hr3o9W&--ep=2M44=gZ3Q#&VLSWlbXD&^;D"
    "%z+W1-EdJpJI>b;8+|mMm33-}#^1)Fl9_vZ&X+QMf!M-}V*DmL6hpn7aPQg|K79+_)t$Jf2Suh|7Fb(#qdb!_@npr!B6rLum7Hlo1w4C1w?{Zi"
    "h$(qD%WL!WgN*6y?PtO4<J2l&E^<4VK~_J(w``Fc68I1g?suQWk;)w%I7vcUXasH&p%EShSw)sCi|DIGjW4p62bv7cBYeokYol;lNtZWe1lXHc"
    ";4sk99+j`bh|MmQiv;}nO|(mmU*$#~m~tDg6-%>Vrpv1$PoFNE9&rQ5ir3q*qKq_DEXQK-yCd=5zo2om&{N}J$-San>)j8Igx7BoDQ>nI8%C(j"
    "e;jK=0rl-3o|mW6OzoBPc~EqOV3R0gqfY;EhIYg_Otb~p^mM_{v*X~($3;dg>txzKjeGg7oo!2L=gMhOcr3$a`IC=`ko9t*J9qA8_lnZ)l{w1^"
    "mSfJt;yspt1ZHjbgA8bxcnkOUt1qH)w7A^T>2;u!27>g-^IsQ7q3jZmVkFV3R~dtF17E#W`&aCz#s%s=3afr6jHks4w2C56#~?lOiD(df(AqLs"
    "bBCCuA9DGb5<YQKi9lG0ZMa%q?8ij1rdcLj`2hI+bnSRi)7zLymd4=m46NLU!z5qw&a(m!3odS+ER192@B4$#Pdc+M$iZU<Be;9Mjs(5`an!CB"
    ";$~iax@?W|vs~(I#kKND1-$+jQ9yi)H_nsw3|bJ)rOKHcbCzq@il#*t-MPP`ro;>#v&zcLFz{14ev4RQcwQ--i+R_}IgJ_~8~;lYN`_7K#s_0%"
    "b)c?*UzfVG5)~x#184O!IKpxRm9bE6$NTbp6<mBV!8uQwplzIy8W;v^<CN$d0ycgmyIe7Wm|mc^>W^7lX`p*C7_r9>G0vS&13UhvN2|p{pcER}"
    "f?88FLX|na95y$M6ZUk&JR${Wf89859CN=nYC&75%=7N*Kj1!&YflRjBlXzd4_-J;wi93bi979d?B$d@y)q|^SP#rui+wtI@=}?bH#b1(_Oz*}"
    "7%n`|*zh^jczwYwC`FrVGgA9N1@cE5D@Oi2DDoLjhe1W$q`v2q%nR@kJPVyAh&4>x0d?Vg{65QiQQ@g!Xhn`kTiTLL22pGHxROeite}c1QIN|a"
    "vcakMd|_GpBdazU2`9SaaH0P;z*}>B2)S9k6sOc`Q`=44uDJ4hsAQr4W`>E1A|ZQ>q2Ri%_IpST;J3mvtd1=hkmCWNec?Kq&+q_Sqnopia=&O*"
    "!B8?}a*xbD?ftT4Qen5j<Cvk7!0-rVS<t@ORh~c{aILvCmy0A5GK$p`hVof5HkPf6{H)I-+s#LcvAH1fIZ48^3;aSx)@B%m+9?s??w!DLQRgJF"
    "aCeIHc}Zn*3>6H5V)SWXJF~0ZUQfbnL@zQlNnSO1ieX-TE>TI{i3L^uJn92L>E0vM-a92jOc(1Eqlu2!#*;Qyx^mBT%$Aapb<+)2`~1iTeGUd$"
    "jWo=L*cR{<Gp(>zP|9JplJZbCk&ZyoBOB`M8*oB1olPR@VPT81#mRLJoj?Z{7Gh;dduRfKL>=Q#UZv_6E*FE)k3uZUpkSyQP9()%CPkYl%3RO|"
    "gs}m`*8dcBPlBqoLQ?r#PlM{u1IeG<cN)~h!LunygsM;t%A`S|Y`6>)EW8;wwTF5c+#;VGRbrI$#BFCtbxquCnIkof^-s92Um15^@<YB9cR)-H"
    "Vs_q~D&<aWl-_U`!X?Fn;zB1%xnohdI&4s<N>%Y#7h^UjOARj;TaGMYKzVs@iDVKgn#St`3MoCFO#0LivQnzw7;V9h8bYv7DTRxy+i>`aV>5QQ"
    "Nmm|oM{5nNM-P?_A~(K|g2bc~?a4Zgs!4O)zzRJzv+rh5pgmStl1JYxA&MJMqok`Ry67aGR&~M;;#=lbwLI1>uPP=og(|U3G(CZ1D@&-P$;{vA"
    "Y|4=325DBGOb9Su-^o@IUTE1tW3~iKSmO44*()N9!`9+vONnj8lbbv%mQUX*+mKJ+Dspgrx5TYc6SUF3!rf^X%G;7T%SydlzIBU1E)2n&?N};@"
    "i60HXgh_S_;=r3(p?z8|o{iwb0%qr-+_dEg9V~5i(xDc*rcKgOfN{lqX0nDeEERxJcS7l~RFuUObwnZmu+j<d2SE`Qr6&Nw7YH`sFw8iOucy;C"
    "SSpx=C65~)N@%?waGyepDeR-3*W@cUF#YSa(^*IcuKbQV0d|HI0r|*nw67DaCRZ*LO5v5*<Dv9$fA2;CBXV1(sAH=7P;CN%We~NF?}<BgNeIx-"
    "^buNXv``z^mF3n1zVbXCQ{d@rH(U3Pu5e?r-8}71EGcfJCY>AP)Q{+%>lS8`{$sP<d`D-yF$(z%`EK8Y^>WLMH|^7GmhCWp+c|G_;52VP=WU!i"
    "q}!bOAe~Qr+)B|c+Bzg1mRmgXOjs=%9n@YqyBL2+|I1CBYIF(o7t8~2wCbL5eXPb$P%aL_NYz)Nm`-56aJH2*7iX-xXIIu-H8aEJyty()i2Cz5"
    ">C#WT(&sL~*h(1{5Q_HWeM_}tI?qF`YyeMyBAO<1$#pXwBluU#UO9HPP|EbVLnl@Z?jzHV%)G#$f1PZ*@o-7^e7m*vvF`bHZjjFYqJXhl1hc`A"
    "OK4w|Vy1W|mxAX;x08aWMd)G-Z`4V69|_q#3D4!BY<=IpsYp({So{C7_y#V*UYPi9zL{Ku)X&DWoC*yFDfR`6-2oRRyCQWKE5>Bg;|4*EyA#Ll"
    "ByLi?CqPaafy;Yir}O`g&54TB@Oa*HKq2GLTP%%Way1jqG={!=;8cbir}Tmv_Xs@!rab^IV}+xOyrKokvFm>oXus<p!kyD)rlP`38hw6z!r!8S"
    "R*~aVM}n6`yK)zm_xg;*Q?T3T_6vOFQWm#c;0tk=7WjG>p`niwUr7j&*!trd+v(q_%vT#+91N&mSv-{7FL9wSg<pKT`YQDmYbBN|EOV7F*goOU"
    "rMhU11<la{xY<fAi|nrP^^d9X^<g(@yPaBJZ)4RAqhv;EL72v|_%$q}u+gXAz_?Y4InRWau%>XInHA@+O2-9UjYbFQ(p6nLs6|wALr)9zkXL(g"
    "UJns<*F(4Ihm64wFV)=olO54VIc_T3taeV;0?|I+?x}mqW?`5{yAhK_UV=>}_>2YRJEDKWeW;zcal)(eU#1A;KS@Vyr3j?6y9DI!5|DODuBe$W"
    "wO;V$Zmsa8t^CN^pwk+knyBL|%^h`Wx$!lB9*9g`V~_p;@Yvn1&=b2-<Q?N=6v?A_r`uJ?Kzo(U>|P!r+uNYcza2il5Mi=-UfDnAJAaMu*pCPG"
    "Cx~kmoC*W51%~pINVA3XGf5lb-S)hUMuxV)v3QYEzp?R9xzRB&`+LOf8pkqSvTodN#NAD@_UZ$Tzr*ARkV4NNNt?gh7}aEDTTSVaqa}$$VXzZa"
    "iXk5k*JHxdo=c)G>EW@3FRfPXFS}BYw)YWlp|kJ`4^E`x;g__9z_#Q+N?`vSZX#x`&{}MOA>4|oO!+A=@Msa9n#MY(1vgR0hFvGqkzwpEl<L7#"
    ">{_{AC<$M*gbR%M7wD26`kHP4^2CJPToGXLmUBfRk;;e5N!|IgG#9VL{IrqKb5G9cP7j6gS0Qr_n(lhzl}l0FTv@%ru_E?3b*KCc5p>I9qtB05"
    "J-72S1@}rF+nXt+YB-64+`dHx?yUF4W%9+@O`9?w$ek=n+*^k3Oi5ycfV-C@midCj=3PQxFuspH^jUaP^udiiN)oH>+Io$jrC>1({x>ODJg|0S"
    "c~GnP^}uNT(U(yRSzmDJ-yJShypEtMD&b)(wK~$RKCyQCd+?7^6kl|8;$496yVoX`xdP+8H-Crf5_j`&Y_BHq|1re>@Lxz2s=hoLeThcgEeQVs"
    "g7AUvmD_hq!_CrgaDc6~B$PUfBPR<bJhodJez~P#N$--3qoEF>x=i0`CEKmd7{3AG3I&fSxI2kYgxF~P$W+pbzFh^EULvAzm|_?QI@f$)>S)b;"
    "wrx|!d5~bK2Qze3$I=+y7gx6_TzA_rcm_9DbJHOlix6$4;wFsa6O@l34C@Nvn1QyA^wP2DG{J;z^uu4+^=_<eG!IE3%3(kL{6X&3N_+6T4gb}("
    "=ld9AW9lRbDTMDrSni(-u8_DVv+Wo-neQ_IrA%4eJ$RR*6*i{X#P?iyn&>KmLYts1LY|0_KZ)s8>kP$_;NzY;G@`_mc%?yO+Nzab<MjxP*qEY~"
    "1Ro0ZZ7~J@{whL<AEz7-!AR8!bOKlyf*QC8p)5W^^k?HP1pQ$i(s<Esf*7)hI)Y)E6`ey};R+usxZE{i3ZKXzK;aIlbb!LydP-RbCv@nFb(8SF"
    "`Oyvlm%fEJBOb&wD6xb*g7kd;6lUU|;YWzSfd9lF!#RZ0buhs~?aWBP!LUTYbgcsphVk$UVKMxzKJv#Sz(fbEka(qx9fY3-F#*%Y1mOTeIVJ&M"
    "dd29wbCq{LRk&VR-)Gb4BCOVdFYZa)+vkks$NU3A5{^_+d_xCvu#!o6lI}-%Mc2)9VI=D!*CaLvI#Lf2?Qn8Pi#p}|7$o&2_=toG^p`TJ$i6Q4"
    "qBSY+D@3JqV3H|wsPe<d(#go&&(U1{KWz{C*hVfyczc_0ji3T-=ii=kxut*9$GrNX1rKTV#*j_{clS@}+|@!LrwDJvDmqDr%+Mi3IE!$Mudvug"
    "vP0UXXsYWGIOu|+5IF`5$e<O6woOzv3E>Lk)+6^N^d($MEo|!DiYNETmhu7$J~0;7B3yU7fOW5k)JH-t^TprJZkvK1y<*D&mmL64BgDje7u&Fh"
    "#u@YzB(Er;Q@VBjrFM-zs3mm~H|s_=S>@Lt#!v3Uotj9FZGr0&4TsTY;KjLf{)E)v9K2v}d=!PwygE~25f1VjSw@8Usp3p;hvjXNb{ZN=+kEMA"
    "6JDb!JDN(Es!v;npf{drYcj6FfP~x_CZP#4z7Z=!4o<|PP=l1A829zw+*h|FjR^}ZPCzM!;jpi_P1N|C2_}5Boox_nAuh##VOFclC89>K#yvU5"
    "as|W6BA#J66mHVG1G_PuP@mvuW;-S_@=s4;P49fxP(aejcH}(F(kFJKPEe5ex&^lhcvtE*F^+(Z+SPea0*32#Hs%P}3(l;AMtNdxL5+8PxZB>m"
    "e#S@FBFv59!@gP7<$f2I5S)U47qrHO4h#Og0CAyf*3Nj~Ma1PUJZaGxcI7v#Lim_G*(PON%?0>8+9nWwAW=&$lie+qD(<qnY%Yr8agMIm4KhQy"
    "g)|}!t|f}4DTiQ3u!K9+Q<+%(h@sla<OrshOXY|?!r^t;mI><6%WKGDKBs3eJeBC|F;}}0L(n4>UN~kXM^XAV6Te5uu67>sp;3L!xZlU38w!H*"
    "+X9LTEyAt^ID{xLOK?cncG2q!hc}E_tbvy<KjQ^UaUh!DI9;0Dl_~zCD<IxQ%hGKQwIceq!!W7$;vA?4zo;yxQUfo-Se?)oiyWwnorY?ff?DQO"
    "!UHfWLpn5+aYmh);(UKQq4KI+q^v_p(LyCA>!mvcy1B(W$kaji9pPH8<tf*iym=uHnJbQNgQyQe=Pe%Pe6L~oO6g&JR`{@1PY4^!U7s=%tzl@2"
    "rH5M`R1q;+HIV0bs|KdF78cemACbAF*lvrVb{&hVF|#p9+r1#dkII*6%0<p&bc@LOs-yemk_bmwQ3grJ>8N=;)NRGTZ9p;9eVPheBzPG*kd*Tb"
    "7RF4$ffAC^wT3wpJijD_HBN~Sp$e;2gC3nsfF2Kk5*(lz$k(jF5`i)}sM}&9F|xY_(vOm-=vZtf>K4KD-5sQ7s>*0ASF}uOkR=!5=0!!cTa=~9"
    "mg#4Q2X$g+V7X|EmC9<jLe+Q`*k6VlE<<vyTzowX&mE1g$9){9O&5Wx6s4-Pc9<-nmS6=EPy1fRR`$1icZevbQkByARR@_Ed%Hg5S~X6wgPoYh"
    "dR>hqrW~iP&MESpWL%2cvce=Y%8;lfb#yy~+6+BKq{MdJY6WiG>BkS)&c`su<gr=c$FYo60*m#orAj=j1z9fk9?pipO%#4;a|}L{HJS^ZMXVd9"
    "%jTmlC`aj5?L7+oyCfX<YHZ;hEU2lp{~*UWdVSXl6*TBeILKUGP+lrbu>v=F8@6a2b=)DLt`$#oT(GVv=DK^^RL_D;lz~@gp|o8VGom@nnj$>O"
    "b`Ll9%H*nuYdKgGVX@<ti%iNG`TOS<L~&iqMDI&uu-UHFDBX8?90)gp)%*y_!yq~^ydYol?UBM`!#!3=3GtDuO*B6XorBP|Ds1pt?MS{F(K0b&"
    "H6E!<T)!IThsKGB+@Yv`E#KE~SthSXz2X1)9F_8x%UpS4>uo0;L`q_lXX&y{9Xi}!x(Yf)nRM4-1$h!Wx~<yMBlw@3wh0V)_`LHhogR<7ppe2G"
    ">Xl<(zLVwqW;$EXDA*LN3uB$W^XtOs=W#$U9kC<P@>)7MV3WtD)+j(TPdcElh<P-g2J>A<&2PSoj+~c9&^v6heD1YkSf*5b=CxvisCidXZ4fc9"
    "a`EzVcpq!ToGsxVtlYdrjQX}-B8D~K)|ZGuXvzh=6PtuPzD&&PgwM*ITq%a>8APv(9<l3~>!b)<krVPDmo%i^9LIieen0>FtL~{SqS@^pvFz`#"
    "!7X;t$}zOHbz^+IF28cjA}RBB>gQfNX6+4aCSKhNQaP7?BFv}QIE97ro7|$mPr=Lek0~DbCY~MhS>~IwJmaV2ay(^MC_8gzKF8B(>XqZUuRNZ0"
    "kINz%Vk7Ce$Pi;^G$+brklnc-W>NpV)#56?X~njyAw>PHRa#*EfLl+FX4Mzlb~>;d+e(6OtXq0#?@9one3rV@$(`hSJ<>b7<woli&xo!^)K@jc"
    "N?`i9fisO|ceN~Fla&R+h<&ZE>~Nwdk?TaZNcJppi~M}D=ht+(GjgkVL|K~?K7Fq)k6LTWWUi(iTg|~rQwIn}AE6(IScZ$XAmuYgSgYpA9f=T)"
    ";y^5b@*vm7tU(peWiOD*WiLeYIiK$pZeZcIIo&f_yk)xQOi8H-nq*IY_;2=|>RDFU%0&E8O_1n0R6;>}Xrkv@#mx3?R2?c8<077wMpM|=N{UG)"
    "!IPP^XM(2=B(ioe$y2ga)9|=bqtk-isPc~3TEgcU2-7txjY6h(*5_tix{LBY**1a7AosH()hqXt^>U4n*e(0Bp9fB5rl>*Ze(s%#x}$6eGYYi^"
    "GiDM_H5;;fu}v2;*`NJ;<bIB1(rvROi{Co~)DC0Ceu}S~p2#wUvE~qRidDaHtccy(;kLn+#2C!7Zo`qs?_1P81Jns=MA@vrmyL12*;nN9KcgB!"
    "HlY)BOL}L3I!+Ej2Gv&r{1{|_%CL86uN=@=k(Wb`Bl4)x`l?2aJXnUhBILS3E+~V_UfH1N?^rgdz{e`xS#nE>FLoxch6ZM3ca7onl`?9If5Kgq"
    "j*nO;>epezeOsoC`d0n^(!F};13^}ly0f+c?q*%m_y%6T^;!edG(g&Vseyg;0;LVX@}yA~)IAp{H6;d$0?$fueyP&>k-4QxqtSn<rAn=leRxBP"
    "wy{`g{PPzH=(ccabx<H+z?RFF9s)=AT(@+~q5z*OwQVcPVLR0Tu9jVu02ncByAnVwO$X*G0mQbpE^0Z%ScrA4jGFAVE-H~{Q>drX_)$e4jtqC_"
    ">jLDKN8N>W0k*nws?iM9wPmi>3M@9%KX2*OQ#NP)f6ld28+)#t+GmP?kEK($Oz~H+XRu)MjyVHf-uVRoyrJJmR)3%7{U|o>cR^<VwiaeBnl%;m"
    "a)9^sth0XBs|evPy6nwlSb$r<2%bF-?T&K!Gr6&d>Gt6jWSqlG)G;~1-~aOmz-&JtWyb?x%!*^(17HIBiJ&wR1yy*q9{@u;Hw$l3&k&fs@+rna"
    "qzj21igdyDf0Ia;wgLAi8&KpUU4C*Wj{h=7xj0|^9d<P8@25tkeqYzsF!NbDgh4NK+E?(4iEp*V7f+v{2KKHGf1#OMhT(qh&Bb2fFM$`S@5DK^"
    "10gU)TF~}PyWcVprYqTgrq?|pX7xjuDzz|Pnkp4Wn|S<J&#kPy1XXFT7sBQY`xWu3b5O6in8}r43D#Wv17i*-Ws!ESq;m#C8TqELE30$q%kkP="
    "M=2BCFqtqe5k|LRguRN*61pfex-M;GHtCuyM?$((&zSqxO2%rg)F>K-jF=J;zO8VCE}9}->ZGw*+9dMpH2zkvL3pKJr?DbeRi*n{jpurwA$~pE"
    "v<tl3&lNa{&W}W9j>P=xNuT#sUKQ~y-F2m+pOw#@l4f~GU9tD#F~zJ`6X-6dHEJ=wBh!C%vhvhvf@Db)&RHOECKKG{Za5Ck7|R$T+>g&?>O|q0"
    "F?I@1FNX&On{!tz6k?_3z9UiOS4Y8@U$Rq^t02S%#e*JPfV2Xkk={iZZ4y|Q5N-(Ld?pXhv|u&jWr)qp(6<x5Na9K~)3_CM2jY0V%7$XL=x<8V"
    "&3b8$B;Fw4<G&!xA$&>eqfZGB!zpkvBHv~%>ZMArzDg_1QGBDNXxcCy-Y&vVT(jsX{zRNg)3nrz;bbPt_w<URKf!nSVI$w>vuUR8vyTuD$EyUc"
    "P`Dp1osVWwQS@P{#A^v=EkyY9DCqZX20?I%u3<hH3ZaAGSU&a4LC_Amp#Ev7-NQ=+tV6sx2}{;kIA|-|tT-$uEQM35j6>9C$+^k`2c}6F0h8FG"
    "4k+j${1tJiLfb4P`?ibMGv(E93Fle%=H+4q)Uhz`Moc74OgW}EF{P>7F7SGRAN|Fw0{arm96>KaVuGFuvCR}6!9!{(cC~OkbM);Fw81P_FY@{u"
    "?b=s+sUyU#cCftb$=xU|13FU(UnU`XQ(EF8LCv6-a>eUB`N8af;N)q7Uqh$~{>ms3%YG|>fpb;_>>MOV60Mspd&9qK1N|;k|1t^N!CDpDPuSk7"
    "O4y|d+uHBFJ7s%!%Jw9oR{;r0U(C`|X+kf1(yaoJUTs=I>FxyXFI@t+MsIq9F8pHiHw@5A8RpSTSvNeFE~(0Ia7(|cIWbckNzQKLPTcsgh;E!Y"
    "_zm;|NKl$vSh#|_-z+VB^^Q#Hnd%_BC-rtu>V4@Z^>o<4KYv>9EVTZJ#!c&5xtYDH?!w}KcTe%{p5og*#rN5!_<p^eDZU;htN#C-;)8I{DL%c9"
    "*X}94zNh%MTkQLvH^tXYef(DswPB|FhHVaA-aX;Bd&2L_IpO#J0LML%ZU"
)
